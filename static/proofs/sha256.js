/** SHA-256 (FIPS 180-4). The browser's own is missing on pages that come over plain HTTP, as in a network at home. */

/** Return the first 32 bits of the fraction of a number. @param {number} number */
const fraction = (number) => ((number - Math.floor(number)) * 2 ** 32) | 0;

const PRIMES = [...Array(312).keys()].filter(
  (n) => n > 1 && ![...Array(n).keys()].some((d) => d > 1 && n % d === 0),
);
const ROUNDS = Int32Array.from(PRIMES.slice(0, 64), (prime) => fraction(Math.cbrt(prime)));
const INITIAL = Int32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
const BLOCK = 64;

/** Return the digest of bytes in hexadecimal digits. @param {Uint8Array} bytes */
export function sha256(bytes) {
  const whole = bytes.length - (bytes.length % BLOCK);
  const rest = new Uint8Array(bytes.length % BLOCK < BLOCK - 8 ? BLOCK : 2 * BLOCK);
  rest.set(bytes.subarray(whole));
  rest[bytes.length - whole] = 0x80;
  new DataView(rest.buffer).setBigUint64(rest.length - 8, BigInt(bytes.length) * 8n);
  const [state, schedule] = [INITIAL.slice(), new Int32Array(64)];
  for (let at = 0; at < whole; at += BLOCK) mix(state, schedule, bytes, at);
  for (let at = 0; at < rest.length; at += BLOCK) mix(state, schedule, rest, at);
  return [...state].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/** @param {number} word @param {number} count */
const turned = (word, count) => (word >>> count) | (word << (32 - count));

/** Mix a block of 64 bytes into the state. @param {Int32Array} state @param {Int32Array} schedule
 * @param {Uint8Array} bytes @param {number} at where the block begins */
function mix(state, schedule, bytes, at) {
  for (let n = 0; n < 16; n += 1) {
    const byte = at + 4 * n;
    schedule[n] = (bytes[byte] << 24) | (bytes[byte + 1] << 16) | (bytes[byte + 2] << 8) | bytes[byte + 3];
  }
  for (let n = 16; n < 64; n += 1) {
    const [early, late] = [schedule[n - 15], schedule[n - 2]];
    const one = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
    const two = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
    schedule[n] = schedule[n - 16] + one + schedule[n - 7] + two;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let n = 0; n < 64; n += 1) {
    const big = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const one = (h + big + ((e & f) ^ (~e & g)) + ROUNDS[n] + schedule[n]) | 0;
    const two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, n) => (state[n] += word));
}
