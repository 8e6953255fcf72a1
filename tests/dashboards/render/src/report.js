// What the page found; render.mjs reads it. `problems` is what makes a run fail.
export const report = {
  title: '',
  problems: [],
  notes: [],
  variables: {},
  panels: [],
  queries: [],
  annotations: [],
  done: false,
};
window.__report = report;
export function problem(where, what) {
  const line = `${where}: ${what}`;
  if (!report.problems.includes(line)) {
    report.problems.push(line);
  }
}
export function note(where, what) {
  const line = `${where}: ${what}`;
  if (!report.notes.includes(line)) {
    report.notes.push(line);
  }
}
