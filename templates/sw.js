// The service worker: answers from the network, or from the cache while the network is gone. Searches need the server.
const CACHE = "{{ version }}";
const PRECACHED = {{ (["/"] + files) | tojson }};
const BOARDS = {{ boards | tojson }}; // pages of all boards and decks, kept while the first page is idle
const IMMUTABLE = /^\/static\/.*{{ version }}\//; // files under these paths never change
const MAX_ENTRIES = 600;
const DEFAULT_GOALS = {{ goals | tojson }}; // goals of pages whose address has no goal

self.addEventListener("install", (event) => {
  event.waitUntil(Promise.all(PRECACHED.map(precache)).then(carryOver).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const drop = (names) => Promise.all(names.map((name) => caches.delete(name)));
  event.waitUntil(oldCaches().then(drop).then(() => self.clients.claim()));
});

// A page asks for this when it is idle; see ui/offline.js.
self.addEventListener("message", (event) => Array.isArray(event.data?.keep) && event.waitUntil(keepPages(event.data.keep).catch(() => {})));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin || url.pathname.startsWith("/socket.io/")) return;
  event.respondWith(IMMUTABLE.test(url.pathname) ? cacheFirst(request) : networkFirst(request));
});

const networkFirst = (request) => fetch(request).then((answer) => store(request, answer), () => fromCache(request));

const cacheFirst = async (request) => (await caches.match(request)) ?? networkFirst(request);

async function precache(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path} is not there`);
  await store(new Request(path), answer);
}

const oldCaches = async () => (await caches.keys()).filter((name) => name !== CACHE);

/** Keep what an older version has kept: answers as they are, and pages fetched anew, because they name the files of their version.
 * If the server cannot be reached, throw: the older version then goes on, and the browser tries again later. */
async function carryOver() {
  const cache = await caches.open(CACHE);
  for (const name of await oldCaches()) {
    const old = await caches.open(name);
    for (const request of await old.keys()) {
      const { pathname } = new URL(request.url);
      if (pathname.startsWith("/static/") || (await cache.match(request))) continue;
      if (pathname.startsWith("/api/")) await cache.put(request, await old.match(request));
      else await keepPage(request.url);
    }
  }
}

/** Keep the pages wanted and those of all boards that are not kept yet, one after the other. A failure leaves the rest to a later
 * visit. */
async function keepPages(wanted) {
  const cache = await caches.open(CACHE);
  for (const path of [...wanted, ...BOARDS]) if (!(await cache.match(path, ANY_LANGUAGE))) await keepPage(path);
}

/** Keep a page, or leave it out if there is no such page any more; throw if the server cannot answer now. */
async function keepPage(address) {
  const answer = await fetch(address);
  if (answer.status === 429 || answer.status >= 500) throw new Error(`${address} cannot be fetched now`);
  await store(new Request(address), answer);
}

/** Return whether a file comes from a server of another version, as may happen in a fleet; it must not be cached. */
const isOtherVersion = (request, answer) =>
  IMMUTABLE.test(new URL(request.url).pathname) && !answer.headers.get("Cache-Control")?.includes("immutable");

/** Return whether an answer may be kept, by its own headers. */
const mayBeKept = (answer) => answer.ok && !answer.redirected && !/\bno-store\b/.test(answer.headers.get("Cache-Control") ?? "");

async function store(request, answer) {
  if (!mayBeKept(answer) || isOtherVersion(request, answer)) return answer;
  const copy = answer.clone();
  const cache = await caches.open(CACHE);
  await cache.put(request, copy);
  for (const old of surplus(await cache.keys())) await cache.delete(old);
  return answer;
}

/** Return the entries beyond `MAX_ENTRIES`, oldest first: API answers, which may have been prefetched, before pages. */
function surplus(all) {
  const pathOf = ({ url }) => new URL(url).pathname;
  const isAnswer = (request) => pathOf(request).startsWith("/api/");
  const seen = all.length > MAX_ENTRIES ? all.filter((request) => !PRECACHED.includes(pathOf(request))) : [];
  return [...seen.filter(isAnswer), ...seen.filter((request) => !isAnswer(request))].slice(0, Math.max(0, all.length - MAX_ENTRIES));
}

/** Pages vary with the language, which not every request names. A page in another language is better than none. */
const ANY_LANGUAGE = { ignoreVary: true };

async function fromCache(request) {
  const known = await caches.match(request);
  if (known || request.mode !== "navigate") return known ?? Response.error();
  return (await caches.match(request, ANY_LANGUAGE)) ?? (await similarPage(request)) ?? (isFramed(request) ? Response.error() : ((await caches.match("/")) ?? Response.error()));
}

const queryOf = (request) => new URL(request.url).searchParams;
const isFramed = (request) => queryOf(request).has("embed");
const goalOf = (request) => queryOf(request).get("goal") ?? DEFAULT_GOALS[new URL(request.url).pathname.split("/")[2]];

/** Paths of boards and cards. Of other pages, such as the review of a game, the whole address says what is on them. */
const RESTORED = /^\/(puzzles\/[^/]+|(daily|decks|draw)\/.+)$/;

/** Return what an address says besides the path: nothing where the script restores it, and never the language. */
function contentOf({ url }) {
  const { pathname, searchParams } = new URL(url);
  searchParams.delete("lang");
  return RESTORED.test(pathname) ? "" : `${searchParams}`;
}

/** Return the page as last cached under another address; its script then restores the position. Embedded boards are kept
 * apart, because they lack everything around the board. Pages with the same goal are preferred: another goal is another game. */
async function similarPage(request) {
  const cache = await caches.open(CACHE);
  const all = await cache.keys(request, { ignoreSearch: true, ...ANY_LANGUAGE });
  const alike = all.filter((other) => isFramed(other) === isFramed(request) && contentOf(other) === contentOf(request));
  const sameGoal = alike.filter((other) => goalOf(other) === goalOf(request));
  const last = sameGoal.at(-1) ?? alike.at(-1);
  return last && cache.match(last, ANY_LANGUAGE);
}
