/** The style of the element, which no style of the page around it changes; that of boards comes from the server. Marks differ
 * in shape, not only in colour. */
export const STYLE = `
:host { display: block; max-width: 28rem; font: 1rem/1.4 system-ui, sans-serif; color-scheme: light; }
:host([hidden]) { display: none; }
.root { --ink: #1c1a17; --paper: #fbf7ee; --line: #8a8274; --mark: #0072b2; color: var(--ink); background: var(--paper);
  border: 1px solid var(--line); border-radius: .5rem; padding: .5rem; color-scheme: light; }
.root.dark { --ink: #f3ecdf; --paper: #1d1a17; --line: #8d8577; --mark: #56b4e9; color-scheme: dark; }
.board { position: relative; }
.board > svg { display: block; width: 100%; height: auto; overflow: visible; }
.spots { position: absolute; inset: 0; }
.spot { position: absolute; box-sizing: border-box; transform: translate(-50%, -50%); aspect-ratio: 1; padding: 0; margin: 0; border: 0;
  border-radius: 50%; background: none; cursor: pointer; touch-action: manipulation; user-select: none; -webkit-tap-highlight-color: transparent; }
.spot[data-movable] { cursor: grab; touch-action: none; }
:focus-visible { outline: 3px solid var(--mark); outline-offset: 1px; box-shadow: 0 0 0 1px #fff; }
.controls { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin-top: .5rem; }
.controls button { font: inherit; color: inherit; background: none; border: 1px solid var(--line); border-radius: .4rem; min-height: 2.75rem;
  padding: .25rem .75rem; cursor: pointer; }
.controls button[aria-disabled=true] { opacity: .55; cursor: default; }
.controls a { color: inherit; margin-inline-start: auto; padding: .6rem .2rem; }
.typed { margin-top: .5rem; }
.typed label { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
.typed input { flex: 1 1 8em; min-width: 0; min-height: 2.75rem; padding: 0 .75rem; font: inherit; color: inherit; background: none;
  border: 1px solid var(--line); border-radius: .4rem; }
.typed[hidden] { display: none; }
.note { margin: .5rem 0 0; min-height: 2.8em; }
.note.fault { border-inline-start: .25rem solid #b3231b; padding-inline-start: .5rem; }
`;
