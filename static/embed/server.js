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

/** The server gives no answer. */
export class Unreachable extends Error {}

/** The server, or one in front of it, answers with an error. The message is its sentence, "" if it has none. */
export class Refused extends Error {
  /** @param {number} status @param {string} sentence */
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

/** Return an answer as a text. Throw Unreachable if there is no answer, or Refused if it is an error.
 * @param {string} path @param {Record<string, string>} values @param {AbortSignal} signal */
export async function text(path, values, signal) {
  for (let tries = 1; ; tries += 1) {
    const { status, ok, body } = await answerTo(address(path, values), signal);
    if (ok) return body;
    if (status !== 503 || tries === MOST_TRIES) throw new Refused(status, sentence(body));
    await new Promise((resolve) => setTimeout(resolve, PATIENCE));
    signal.throwIfAborted();
  }
}

/** @param {string} url @param {AbortSignal} signal */
async function answerTo(url, signal) {
  try {
    const response = await fetch(url, { signal });
    return { status: response.status, ok: response.ok, body: await response.text() };
  } catch (error) {
    throw error instanceof TypeError ? new Unreachable(url, { cause: error }) : error; // only these two calls throw one
  }
}

/** Return a JSON answer. @param {string} path @param {Record<string, string>} values @param {AbortSignal} signal @returns {Promise<any>} */
export const json = async (path, values, signal) => JSON.parse(await text(path, values, signal));

/** Return the sentence of an error, which may be a picture; "" if it is not from the program, such as that of a proxy.
 * @param {string} body @returns {string} */
function sentence(body) {
  try {
    return JSON.parse(body).error.message;
  } catch {
    return /^<svg[^]*?<title>(.*?)<\/title>/.exec(body)?.[1] ?? "";
  }
}
