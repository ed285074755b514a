/** A lesson: its figure, its buttons and its activity. */
import "../ui/settings.js";
import { enableButtons, pageData } from "../ui/dom.js";
import * as fault from "../lessons/activities/fault.js";
import * as limits from "../lessons/activities/limits.js";
import * as methods from "../lessons/activities/methods.js";
import * as play from "../lessons/activities/play.js";
import * as refute from "../lessons/activities/refute.js";
import * as weights from "../lessons/activities/weights.js";

/** @type {Record<string, { start: () => Promise<void> }>} */
const ACTIVITIES = { fault, limits, methods, play, refute, weights };

enableButtons();
await ACTIVITIES[pageData().activity.type].start();
