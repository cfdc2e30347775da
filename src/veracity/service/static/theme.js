// Sets the colours chosen on an earlier visit before the page is painted, and lets the button change them.
// A plain script rather than a module: a module would run after the first paint.
(() => {
  const KEY = "veracity-theme";
  const root = document.documentElement;
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");

  const read = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // storage may be forbidden; the page then follows the system
    }
  };
  const keep = (theme) => {
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // the choice then lasts as long as the page
    }
  };
  const shown = () => root.dataset.theme ?? (prefersDark.matches ? "dark" : "light");

  const chosen = read();
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;

  document.addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector("[data-theme-toggle]");
    if (!button) return;
    const label = () => {
      const other = shown() === "dark" ? "light" : "dark";
      button.textContent = other === "dark" ? "☾" : "☀";
      button.setAttribute("aria-label", `Use ${other} colours`);
      button.title = `Use ${other} colours`;
    };
    button.addEventListener("click", () => {
      root.dataset.theme = shown() === "dark" ? "light" : "dark";
      keep(root.dataset.theme);
      label();
    });
    prefersDark.addEventListener("change", label);
    label();
    button.hidden = false;
  });
})();
