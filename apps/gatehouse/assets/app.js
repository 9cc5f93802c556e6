// The one script. Every page works without it; here are copy buttons, local times, and the keyboard.
(() => {
  "use strict";

  const all = (selector) => [...document.querySelectorAll(selector)];

  // Times: the title says the time in the reader's own zone, and in UTC as it came.
  for (const time of all("time[datetime]")) {
    const date = new Date(time.dateTime);
    if (time.dateTime.includes("T") && !Number.isNaN(date.valueOf())) {
      const local = date.toLocaleString(undefined, { dateStyle: "full", timeStyle: "long" });
      time.title = `${local} (${time.title || time.textContent.trim()})`;
    }
  }

  // A notice is read first, and an error is where the work goes on.
  const first = document.querySelector("[aria-invalid=true]") ?? document.querySelector("main > .notice");
  if (first && !document.querySelector("[autofocus]")) first.focus({ preventScroll: true });

  // Copying. Outside of a secure context browsers have the old way only.
  const status = document.createElement("p");
  status.className = "visually-hidden";
  status.setAttribute("role", "status");
  document.body.append(status);

  const copied = async (button) => {
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      return true;
    } catch {
      const code = button.previousElementSibling;
      if (code) getSelection().selectAllChildren(code);
      return document.execCommand("copy");
    }
  };

  for (const button of all("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const isDone = await copied(button);
      button.textContent = isDone ? "Copied" : "Press Ctrl+C";
      status.textContent = isDone ? "Copied" : "Selected: press Ctrl+C to copy";
      setTimeout(() => { button.textContent = "Copy"; status.textContent = ""; }, 2000);
    });
  }

  // Menus close with Escape, and where something else is pressed.
  const open = () => all("details.own[open], details.side-fold[open]");
  document.addEventListener("click", (event) => {
    for (const menu of open()) if (!menu.contains(event.target)) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of open()) {
      if (menu.contains(document.activeElement)) menu.querySelector("summary").focus();
      menu.open = false;
    }
  });

  // Fields of a filter that are empty ask for nothing, so addresses stay short.
  for (const form of all("form.filters, form.find")) {
    form.addEventListener("formdata", ({ formData }) => {
      for (const [name, value] of [...formData]) if (!value) formData.delete(name);
    });
  }

  // The keyboard.
  const STORED = "gatehouse.keys";
  const stored = () => { try { return localStorage.getItem(STORED); } catch { return null; } };
  let areKeysOn = stored() !== "off";
  const store = () => { try { localStorage.setItem(STORED, areKeysOn ? "on" : "off"); } catch { /* not kept */ } };

  const KEYS = [
    ["/", "Search"],
    ["j", "Next row of the list"],
    ["k", "Previous row of the list"],
    ["Enter", "Open the row"],
    ["?", "This help"],
  ];

  let dialog;
  const help = () => {
    dialog ??= makeHelp();
    if (!dialog.open) dialog.showModal();
  };

  const element = (name, text = "", attributes = {}) => {
    const made = document.createElement(name);
    made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };

  function makeHelp() {
    const made = element("dialog", "", { class: "keys", "aria-labelledby": "keys-head" });
    const list = element("dl", "", { class: "facts" });
    for (const [key, what] of KEYS) {
      const term = element("dt");
      term.append(element("kbd", key));
      list.append(term, element("dd", what));
    }
    const choice = element("div", "", { class: "choice" });
    const box = element("input", "", { type: "checkbox", id: "keys-on" });
    box.checked = areKeysOn;
    box.addEventListener("change", () => { areKeysOn = box.checked; store(); });
    choice.append(box, element("label", "Use single-key shortcuts", { for: "keys-on" }));
    const form = element("form", "", { method: "dialog" });
    form.append(element("button", "Close", { class: "secondary" }));
    made.append(element("h2", "Keyboard shortcuts", { id: "keys-head" }), list, choice, form);
    document.body.append(made);
    return made;
  }

  // The way to the switch stays when the keys are off.
  const foot = document.querySelector(".foot p");
  if (foot) {
    const button = element("button", "Keyboard shortcuts", { type: "button", class: "plain" });
    button.addEventListener("click", help);
    foot.append(" · ", button);
  }

  const move = (step) => {
    const rows = all("main [data-rows] > *").map((row) => row.querySelector("a[data-open]")).filter(Boolean);
    if (!rows.length) return;
    const at = rows.findIndex((link) => link === document.activeElement);
    const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : at + step;
    rows[Math.min(Math.max(next, 0), rows.length - 1)].focus();
  };

  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input, textarea, select, [contenteditable], dialog");
    if (!areKeysOn || isTyping || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    const search = document.querySelector("form.filters [type=search]") ?? document.getElementById("find");
    if (event.key === "/" && search) {
      event.preventDefault();
      search.focus();
      search.select();
    } else if (event.key === "j") {
      move(1);
    } else if (event.key === "k") {
      move(-1);
    } else if (event.key === "?") {
      event.preventDefault();
      help();
    }
  });
})();
