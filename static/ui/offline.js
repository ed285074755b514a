/** Offline use: the service worker keeps what was opened, and once the first page has been idle that page, the cards that the
 * player comes to next, and the pages of all boards and decks. */

/** Milliseconds after the start of the service worker before it fetches further boards. */
const IDLE_TIME = 3000;

/** @returns {{ saveData?: boolean, effectiveType?: string } | undefined} unknown in some browsers */
const connection = () => /** @type {any} */ (navigator).connection;

/** Return whether the browser asks to save data. */
export const savesData = () => Boolean(connection()?.saveData);

/** Return the service workers of this site, if the page may have any. @returns {ServiceWorkerContainer | undefined} */
export function serviceWorkers() {
  try {
    return navigator.serviceWorker; // which throws in a frame without an origin of its own
  } catch {
    return undefined;
  }
}

/** Register the service worker after this page has loaded, because it fetches all files. The page works without it. */
export function registerServiceWorker() {
  addEventListener("load", () => {
    const workers = serviceWorkers();
    workers
      ?.register("/sw.js")
      .then(() => workers.ready)
      .then(keepBoardsWhenIdle)
      .catch(() => {});
  });
}

/** Pages that the service worker is to keep besides the boards. @type {string[]} */
const wanted = [];

/** Let the service worker keep pages when the page is idle. @param {readonly string[]} addresses */
export const keepWhenIdle = (addresses) => void wanted.push(...addresses);

/** Let the service worker fetch what it does not keep yet, unless the connection is slow or data are to be saved.
 * @param {ServiceWorkerRegistration} registration */
function keepBoardsWhenIdle({ active }) {
  if (savesData() || (connection()?.effectiveType ?? "4g") !== "4g") return;
  setTimeout(
    () => active?.postMessage({ keep: [location.pathname + location.search, ...wanted] }),
    IDLE_TIME,
  );
}
