// What a user does on the pages, without a real browser.

import assert from "node:assert/strict";

const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", "#x27": "'", "#34": '"', "#38": "&", "#60": "<", "#62": ">" };

function unescape(text) {
  return text.replace(/&(#?\w+);/g, (whole, name) => ENTITIES[name] ?? whole);
}

function attribute(tag, name) {
  const found = new RegExp(`\\s${name}="([^"]*)"`).exec(tag);
  return found && unescape(found[1]);
}

// The forms of a page: where they lead, and the names and values of their fields.
function forms(html) {
  const bodies = html.matchAll(/<form([^>]*)>(.*?)<\/form>/gs);
  return [...bodies].map(([, opening, body]) => {
    const tags = [...body.matchAll(/<(?:input|button)([^>]*)>/g)].map(([, tag]) => tag);
    const named = tags.filter((tag) => attribute(tag, "name") !== null);
    const fields = named.map((tag) => [attribute(tag, "name"), attribute(tag, "value") ?? ""]);
    return { action: attribute(opening, "action"), fields: Object.fromEntries(fields) };
  });
}

export class User {
  constructor({ base_url, login, password }) {
    Object.assign(this, { base: base_url, login, password, cookies: new Map() });
  }

  // Opens an authorization URL, signs in when asked to, and approves. Gives where that leads.
  async decide(url) {
    let answer = await this.#follow(await this.#request(url));
    if (new URL(answer.url).pathname === "/users/sign_in") {
      const form = await this.#form(answer, (fields) => "user[password]" in fields);
      Object.assign(form.fields, { "user[login]": this.login, "user[password]": this.password });
      answer = await this.#follow(await this.#send(form));
    }
    const location = answer.headers.get("location");
    if (location) return location;
    const form = await this.#form(answer, (fields) => "handle" in fields && !("_method" in fields));
    const decided = await this.#send(form);
    assert.ok([302, 303].includes(decided.status), `${decided.status}`);
    return decided.headers.get("location");
  }

  async #form(answer, isWanted) {
    const html = await answer.text();
    const found = forms(html).find(({ fields }) => isWanted(fields));
    assert.ok(found, html);
    return found;
  }

  async #send({ action, fields }) {
    const headers = { origin: this.base, "content-type": "application/x-www-form-urlencoded" };
    const body = new URLSearchParams(fields).toString();
    return this.#request(new URL(action, this.base), { method: "POST", headers, body });
  }

  async #follow(answer) {
    const location = answer.headers.get("location");
    const target = location && new URL(location, this.base);
    if (!target || target.origin !== this.base) return answer;
    return this.#follow(await this.#request(target));
  }

  async #request(url, init = {}) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...init.headers, ...(cookie && { cookie }) };
    const answer = await fetch(url, { ...init, headers, redirect: "manual" });
    for (const set of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set);
      if (value) this.cookies.set(name, value);
      else this.cookies.delete(name);
    }
    return answer;
  }
}
