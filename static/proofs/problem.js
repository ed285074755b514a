/**
 * The problem of a certificate: board, start and goal, read from the format that docs/certificates.md describes.
 *
 * @typedef {object} Certificate
 * @property {{ rows: string[], lines: number[][] }} board
 * @property {string} start
 * @property {string} goal
 * @property {any} claim
 * @property {any} proof
 *
 * @typedef {readonly [from: number, over: number, to: number]} Jump
 *
 * @typedef {object} Problem
 * @property {number} holes
 * @property {Jump[]} jumps sorted
 * @property {string} start a character for each hole: `o` with a peg, `.` without; so are all boards
 * @property {number} red hole of the red peg, or -1
 * @property {number} active hole of the peg that may go on in the same move, or -1
 * @property {number[]} ends holes in which the last peg may be
 */

const MOST_HOLES = 63;

/** Throw an error with a sentence, so that the certificate is refused, unless a condition holds. @param {unknown} condition @param {string} sentence
 * @returns {asserts condition} */
export function require(condition, sentence) {
  if (!condition) throw new Error(sentence);
}

/** Return the value of a JSON text in which no name comes twice and whole numbers have no fraction: written again, it must
 * be the same text. @param {string} text */
export function parsed(text) {
  const value = JSON.parse(text);
  const compact = text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");
  require(JSON.stringify(value) === compact, "A name comes twice, or a number is not written as it is.");
  return value;
}

/** Refuse an object unless it has all fields of `names`, and no others but the optional ones.
 * @param {unknown} value @param {string} names @param {string} [optional] */
export function requireFields(value, names, optional = "") {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const given = isObject ? Object.keys(value).filter((name) => !optional.split(" ").includes(name)) : [];
  const expected = names.split(" ");
  const agree = given.length === expected.length && given.every((name) => expected.includes(name));
  require(isObject && agree, `Missing or unknown fields: ${given} for ${names}.`);
}

/** Return a list after refusing it unless all its items are whole numbers. @param {unknown} value @returns {number[]} */
export function whole(value) {
  require(Array.isArray(value) && value.every(Number.isSafeInteger), "This is no list of whole numbers.");
  return value;
}

/** @param {Certificate} certificate @returns {Problem} */
export function problemOf(certificate) {
  requireFields(certificate, "board start goal claim proof");
  requireFields(certificate.board, "rows lines");
  const { jumps, holes } = readBoard(certificate.board);
  require(holes <= MOST_HOLES, `The board has more than ${MOST_HOLES} holes.`);
  const { start: text, goal } = certificate;
  require(typeof text === "string" && typeof goal === "string", "Start and goal are texts.");
  const [, cells, active] = /^([o.r]+)(?::(\d+))?$/.exec(text) ?? [];
  require(cells?.length === holes &&
    (cells.match(/r/g) ?? []).length < 2, `The start ${text} is no position.`);
  require(active === undefined ||
    (cells[Number(active)] ?? ".") !== ".", `There is no peg in hole ${active}.`);
  const ends = [...cells].flatMap((_, hole) => (goal === "any" || goal === String(hole) ? [hole] : []));
  require(ends.length && /[^.]/.test(cells), `The goal ${goal} is no hole, or there is no peg.`);
  const red = cells.indexOf("r");
  return { holes, jumps, start: cells.replace("r", "o"), red, active: Number(active ?? -1), ends };
}

/** Return the number of holes and the jumps of a drawing. @param {Certificate["board"]} board */
function readBoard({ rows, lines }) {
  const areTexts = Array.isArray(rows) && rows.every((row) => typeof row === "string");
  require(areTexts && Array.isArray(lines), "Rows of a board are texts, lines a list.");
  const points = rows.flatMap((row, y) => [...row].flatMap((mark, x) => (mark === "o" ? [[x, y]] : [])));
  const holeAt = new Map(points.map(([x, y], hole) => [`${x} ${y}`, hole]));
  /** @type {Map<string, Jump>} */
  const jumps = new Map();
  for (const [dx, dy, ...more] of lines.map(whole)) {
    require(dy !== undefined && !more.length, "A line has two numbers.");
    for (const sign of dx || dy ? [1, -1] : [])
      points.forEach(([x, y], from) => {
        const [over, to] = [1, 2].map((n) => holeAt.get(`${x + n * sign * dx} ${y + n * sign * dy}`));
        if (over !== undefined && to !== undefined) jumps.set(`${from} ${to}`, [from, over, to]);
      });
  }
  const sorted = [...jumps.values()].sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
  return { holes: points.length, jumps: sorted };
}

/** Return the boards that one jump leads to, or, if `back`, those that it may come from.
 * @param {Problem} problem @param {string} board @param {boolean} back */
export function boardsAround({ jumps }, board, back) {
  const [before, after] = back ? ["..o", "oo."] : ["oo.", "..o"];
  return jumps
    .filter((jump) => jump.map((hole) => board[hole]).join("") === before)
    .map((jump) =>
      jump.reduce((text, hole, n) => text.slice(0, hole) + after[n] + text.slice(hole + 1), board),
    );
}
