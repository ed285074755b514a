/** The sound of wood on wood, and a short vibration, when a piece lands. Off by default, and never before a gesture. */
import { settings } from "../ui/storage.js";
import { lastMove } from "../game/line.js";
import { DURATION, hasReducedMotion } from "./animation.js";

const VOLUME = 0.24;
/** Resonances of a small block of wood, in hertz, with their shares of the volume and their decay in seconds. */
const RESONANCES = [
  { pitch: 410, share: 0.5, decay: 0.09 },
  { pitch: 980, share: 0.28, decay: 0.05 },
  { pitch: 2150, share: 0.12, decay: 0.025 },
];
/** Seconds of noise with which two pieces of wood meet. */
const CONTACT = 0.012;
/** Milliseconds of vibration when a piece lands, and when the puzzle is solved. */
const VIBRATION = { landing: [8], solved: [12, 60, 24] };

/** @type {AudioContext | undefined} */
let audio;

/** Play a knock. @param {number} delay in seconds @param {number} [tune] factor of all pitches */
function knock(delay, tune = 1) {
  audio ??= new AudioContext();
  const start = audio.currentTime + delay;
  const output = new GainNode(audio, { gain: VOLUME });
  output.connect(audio.destination);
  contact(audio, start).connect(output);
  for (const { pitch, share, decay } of RESONANCES)
    ringing(audio, start, pitch * tune, share, decay).connect(output);
}

/** Return a short burst of noise. @param {AudioContext} context @param {number} start in seconds */
function contact(context, start) {
  const noise = new AudioBuffer({
    length: Math.ceil(CONTACT * context.sampleRate),
    sampleRate: context.sampleRate,
  });
  const samples = noise.getChannelData(0);
  samples.forEach(
    (_, index) =>
      (samples[index] = (Math.random() * 2 - 1) * Math.min(1, index / 40) * (1 - index / samples.length)),
  );
  const source = new AudioBufferSourceNode(context, { buffer: noise });
  const filter = new BiquadFilterNode(context, { type: "bandpass", frequency: 1400, Q: 0.8 });
  source.connect(filter);
  source.start(start);
  return filter;
}

/** Return a tone that dies away. @param {AudioContext} context @param {number} start in seconds @param {number} pitch in hertz
 * @param {number} share of the volume @param {number} decay in seconds */
function ringing(context, start, pitch, share, decay) {
  const source = new OscillatorNode(context, { frequency: pitch });
  const volume = new GainNode(context, { gain: 0 });
  volume.gain.setValueAtTime(0, start);
  volume.gain.linearRampToValueAtTime(share, start + 0.002); // a sudden start would be heard as a click
  volume.gain.exponentialRampToValueAtTime(0.0001, start + decay * 3);
  source.connect(volume);
  source.start(start);
  source.stop(start + decay * 3);
  return volume;
}

/** Play a soft tone. @param {number} delay in seconds @param {number} pitch in hertz @param {number} length in seconds */
export function tone(delay, pitch, length) {
  if (!hasPressed()) return;
  audio ??= new AudioContext();
  ringing(audio, audio.currentTime + delay, pitch, VOLUME, length / 2).connect(audio.destination);
}

/** Whether the player has pressed something: before that browsers refuse sound and vibration, and complain. */
const hasPressed = () => navigator.userActivation?.hasBeenActive ?? true;

/** Factor of the pitch from one jump of a run to the next: two semitones. */
const RISE = 2 ** (2 / 12);

/** Let the landing of a piece be heard and felt. @param {number} flight milliseconds until it lands @param {boolean} [solved]
 * @param {number} [rise] jumps of its run before */
export function land(flight, solved = false, rise = 0) {
  if (!hasPressed()) return;
  knock(flight / 1000, RISE ** rise);
  if (solved) knock(flight / 1000 + 0.12, 1.5);
  setTimeout(() => navigator.vibrate?.(solved ? VIBRATION.solved : VIBRATION.landing), flight);
}

/** Let every landing be heard and felt, of steps played, undone or redone, if sounds are on. Each jump of a run sounds
 * higher than the one before.
 * @param {import("../game/session.js").Session} session @param {import("./board.js").Board} board */
export function playSounds(session, board) {
  session.subscribe(["travel"], ({ travel }) => {
    if (!settings().sounds || !travel.length) return;
    const { shown } = session;
    const solved = shown.at > 0 && shown.steps[shown.at - 1].verdict === "solved";
    const jumps = Math.max(1, (travel[0].path?.length ?? 2) - 1);
    const made = lastMove(shown).length; // jumps of the run so far
    const flights = landings(jumps, board.flightTime(travel));
    flights.forEach((flight, jump) =>
      land(flight, solved && jump === jumps - 1, Math.max(0, made - jumps + jump)),
    );
  });
}

/** Return when each jump of several in a row lands, in milliseconds. @param {number} jumps @param {number} flight of all */
const landings = (jumps, flight) =>
  jumps === 1
    ? [flight]
    : Array.from({ length: jumps }, (_, jump) => (hasReducedMotion() ? 120 : DURATION.run) * (jump + 1));
