/** Sounds: one tone for a step and two for a solved puzzle. Off by default. */
import { settings } from "../ui/storage.js";

const VOLUME = 0.12;
/** Seconds in which a tone rises to its full volume. A sudden start would be heard as a click. */
const ATTACK = 0.008;

/** @type {AudioContext | undefined} */
let audio;

/** @param {number} pitch in hertz @param {number} [delay] in seconds */
function tone(pitch, delay = 0) {
  audio ??= new AudioContext();
  const [source, volume] = [audio.createOscillator(), audio.createGain()];
  const start = audio.currentTime + delay;
  source.type = "triangle";
  source.frequency.setValueAtTime(pitch, start);
  volume.gain.setValueAtTime(0, start);
  volume.gain.linearRampToValueAtTime(VOLUME, start + ATTACK);
  volume.gain.exponentialRampToValueAtTime(0.0001, start + 0.14);
  source.connect(volume).connect(audio.destination);
  source.start(start);
  source.stop(start + 0.16);
}

/** Play a sound for every step played, undone or redone, if sounds are on. @param {import("../game/session.js").Session} session */
export function playSounds(session) {
  session.subscribe((state, before) => {
    if (!settings().sounds || state.line === before.line || !state.travel.length) return;
    const solved = state.line.steps[state.line.at - 1]?.verdict === "solved";
    tone(solved ? 392 : 196);
    if (solved) tone(587, 0.09);
  });
}
