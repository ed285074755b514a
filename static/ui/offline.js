/** Offline use: the service worker keeps what was opened, and the pages of all boards once the page has been idle. */

/** Milliseconds after the start of the service worker before it fetches further boards. */
const IDLE_TIME = 3000;

/** @returns {{ saveData?: boolean, effectiveType?: string } | undefined} unknown in some browsers */
const connection = () => /** @type {any} */ (navigator).connection;

/** Return whether the browser asks to save data. */
export const savesData = () => Boolean(connection()?.saveData);

/** Register the service worker after this page has loaded, because it fetches all files. The page works without it. */
export function registerServiceWorker() {
  addEventListener("load", () => {
    navigator.serviceWorker
      ?.register("/sw.js")
      .then(() => navigator.serviceWorker.ready)
      .then(keepBoardsWhenIdle)
      .catch(() => {});
  });
}

/** Let the service worker fetch the boards that it does not keep yet, unless the connection is slow or data are to be saved.
 * @param {ServiceWorkerRegistration} registration */
function keepBoardsWhenIdle({ active }) {
  if (
    savesData() ||
    (connection()?.effectiveType ?? "4g") !== "4g" ||
    "embed" in document.documentElement.dataset
  )
    return;
  setTimeout(() => active?.postMessage("keep boards"), IDLE_TIME);
}
