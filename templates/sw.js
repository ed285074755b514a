// The service worker: from the network while there is one, else what was seen before. Searches need the server.
const CACHE = "{{ version }}";
const SHELL = {{ (["/"] + files) | tojson }};
const LASTING = /^\/static\/.*{{ version }}\//; // what is there never changes
const MOST = 600;
const USUAL = {{ goals | tojson }}; // what a page is about whose address names no goal

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
  for (const old of spare(await cache.keys())) await cache.delete(old);
  return answer;
}

/** What is one too many, the oldest first: answers, which may have been fetched ahead, before pages. */
function spare(all) {
  const pathOf = ({ url }) => new URL(url).pathname;
  const isAnswer = (request) => pathOf(request).startsWith("/api/");
  const seen = all.length > MOST ? all.filter((request) => !SHELL.includes(pathOf(request))) : [];
  return [...seen.filter(isAnswer), ...seen.filter((request) => !isAnswer(request))].slice(0, Math.max(0, all.length - MOST));
}

async function remembered(request) {
  const known = await caches.match(request);
  if (known || request.mode !== "navigate") return known ?? Response.error();
  return (await relative(request)) ?? (isFramed(request) ? Response.error() : ((await caches.match("/")) ?? Response.error()));
}

const asked = (request) => new URL(request.url).searchParams;
const isFramed = (request) => asked(request).has("embed");
const goalOf = (request) => asked(request).get("goal") ?? USUAL[new URL(request.url).pathname.split("/")[2]];

/** The same page, as it was last seen under another address: its script says so. A board in a frame is none of these,
 * for it lacks all that is around the board; and another goal makes another game. */
async function relative(request) {
  const cache = await caches.open(CACHE);
  const all = await cache.keys(request, { ignoreSearch: true });
  const alike = all.filter((other) => isFramed(other) === isFramed(request));
  const sameGoal = alike.filter((other) => goalOf(other) === goalOf(request));
  const last = sameGoal.at(-1) ?? alike.at(-1);
  return last && cache.match(last);
}
