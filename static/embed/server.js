/** The server from which this module comes: it knows the rules, the texts and how boards look. Any site may ask it. */

const HOME = new URL(import.meta.url).origin;
/** Milliseconds until a server that is busy, or has just started, is asked again. */
const PATIENCE = 2000;
const MOST_TRIES = 5;

/** Return the address of something on the server. @param {string} path @param {Record<string, string>} [values] of the query */
export const address = (path, values = {}) => {
  const query = new URLSearchParams(values).toString();
  return `${HOME}${path}${query && `?${query}`}`;
};

/** Return an answer as a text. Throw an error with the server's sentence, or a TypeError if there is no answer.
 * @param {string} path @param {Record<string, string>} values @param {AbortSignal} signal */
export async function text(path, values, signal) {
  for (let tries = 1; ; tries += 1) {
    const response = await fetch(address(path, values), { signal });
    if (response.ok) return response.text();
    if (response.status !== 503 || tries === MOST_TRIES) throw new Error(await sentence(response));
    await new Promise((resolve) => setTimeout(resolve, PATIENCE));
    signal.throwIfAborted();
  }
}

/** Return a JSON answer. @param {string} path @param {Record<string, string>} values @param {AbortSignal} signal @returns {Promise<any>} */
export const json = async (path, values, signal) => JSON.parse(await text(path, values, signal));

/** Return the sentence of an error, which may be a picture. @param {Response} response */
async function sentence(response) {
  const body = await response.text();
  try {
    return JSON.parse(body).error.message;
  } catch {
    return /<title>(.*?)<\/title>/.exec(body)?.[1] ?? response.statusText;
  }
}
