// The service worker: from the network while there is one, else what was seen before. Searches need the server.
const CACHE = "{{ version }}";
const SHELL = {{ (["/"] + files) | tojson }};
const LASTING = /^\/static\/.*{{ version }}\//; // what is there never changes
const MOST = 600;

self.addEventListener("install", (event) => {
  event.waitUntil(Promise.all(SHELL.map(take)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const drop = (names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)));
  event.waitUntil(caches.keys().then(drop).then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin || url.pathname.startsWith("/socket.io/")) return;
  event.respondWith(LASTING.test(url.pathname) ? lasting(request) : newest(request));
});

const newest = (request) => fetch(request).then((answer) => keep(request, answer), () => remembered(request));

const lasting = async (request) => (await caches.match(request)) ?? newest(request);

async function take(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path} is not there`);
  await keep(new Request(path), answer);
}

/** Another server of a fleet may be of another version: its file is not to stay under this address. */
const isOther = (request, answer) =>
  LASTING.test(new URL(request.url).pathname) && !answer.headers.get("Cache-Control")?.includes("immutable");

async function keep(request, answer) {
  if (!answer.ok || answer.redirected || isOther(request, answer)) return answer;
  const copy = answer.clone();
  const cache = await caches.open(CACHE);
  await cache.put(request, copy);
  const all = await cache.keys();
  for (const old of all.slice(SHELL.length, Math.max(SHELL.length, all.length - MOST))) await cache.delete(old);
  return answer;
}

async function remembered(request) {
  const known = (await caches.match(request)) ?? (request.mode === "navigate" && (await caches.match(request, { ignoreSearch: true })));
  return known || (request.mode === "navigate" && (await caches.match("/"))) || Response.error();
}
