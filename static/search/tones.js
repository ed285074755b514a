/** The rows of a search as tones: the more nodes a limit has, the higher; a limit with a solution sounds twice, the second time higher. */
import { tone } from "../board/sound.js";
import { settings } from "../ui/storage.js";

/** Pitch of one node in hertz, and octaves for each power of ten. */
const [LOWEST, RISE] = [220, 1 / 3];
/** Seconds of a tone, and the most for which tones may wait for their turn. */
const [LENGTH, PATIENCE] = [0.12, 1];
/** Pitch of a solution over that of its nodes. */
const SOLVED = 1.5;

/** Time at which the next tone may begin, in seconds. */
let free = 0;

/** Return the pitch of a number of nodes in hertz. @param {number} nodes */
export const pitchOf = (nodes) => LOWEST * 2 ** (RISE * Math.log10(Math.max(1, nodes)));

/** Let a finished row be heard, if the player wishes so. @param {import("./rows.js").Row} row */
export function soundRow({ nodes, state }) {
  const now = performance.now() / 1000;
  if (!settings().tones || free > now + PATIENCE) return;
  for (const pitch of state === "solved" ? [pitchOf(nodes), SOLVED * pitchOf(nodes)] : [pitchOf(nodes)]) {
    const start = Math.max(now, free);
    tone(start - now, pitch, LENGTH);
    free = start + LENGTH;
  }
}
