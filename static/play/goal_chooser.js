/** The form for start and goal, with the known result for every goal of the chosen start. */
import { find, write } from "../ui/dom.js";
import { puzzle } from "../game/position.js";

/** Connect the form: load the goals of a chosen start, and show the result of a chosen goal. */
export function offerGoals() {
  const form = find("#picker", HTMLFormElement);
  const starts = find("select", HTMLSelectElement, form);
  const note = find(".chosen", HTMLElement, form);
  const chosen = () => form.querySelector('input[name="goal"]:checked, [name="goal"] option:checked');
  const showChoice = () =>
    write(note, chosen()?.getAttribute("aria-label") ?? chosen()?.getAttribute("data-par") ?? "");
  form.addEventListener("change", (event) => (event.target === starts ? loadGoals() : showChoice()));

  const chosenGoal = () => new FormData(form).get("goal");

  async function loadGoals() {
    const [start, goal] = [starts.value, chosenGoal()];
    const { lang } = document.documentElement;
    const query = new URLSearchParams({ start, lang, ...(typeof goal === "string" && { goal }) });
    const goals = await fetch(`/puzzles/${puzzle.id}/goals?${query}`).catch(() => null);
    if (starts.value !== start) return;
    if (chosenGoal() !== goal) return void loadGoals(); // chosen meanwhile, and the answer would select the old goal
    if (!goals?.ok) return clearGoals();
    const page = new DOMParser().parseFromString(await goals.text(), "text/html");
    find(".goals", HTMLElement, form).replaceWith(find(".goals", HTMLElement, page));
    showChoice();
  }

  /** Remove the results, which belong to another start. */
  function clearGoals() {
    for (const mark of form.querySelectorAll(".finish span")) write(mark, "");
    for (const goal of form.querySelectorAll("input[aria-label]"))
      goal.setAttribute("aria-label", goal.getAttribute("value") ?? "");
    for (const goal of form.querySelectorAll("option[data-par]")) {
      write(goal, goal.getAttribute("value") ?? "");
      goal.removeAttribute("data-par");
    }
    write(note, "");
  }
}
