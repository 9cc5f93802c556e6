// What a user does on the pages, without a real browser.

import assert from "node:assert/strict";
import { request } from "node:http";

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
    if (answer.url.pathname === "/users/sign_in") {
      const form = this.#form(answer, (fields) => "user[password]" in fields);
      Object.assign(form.fields, { "user[login]": this.login, "user[password]": this.password });
      answer = await this.#follow(await this.#send(form));
    }
    if (answer.location) return answer.location;
    const form = this.#form(answer, (fields) => "handle" in fields && !("_method" in fields));
    const decided = await this.#send(form);
    assert.ok([302, 303].includes(decided.status), `${decided.status}`);
    return decided.location;
  }

  #form(answer, isWanted) {
    const found = forms(answer.text).find(({ fields }) => isWanted(fields));
    assert.ok(found, answer.text);
    return found;
  }

  async #send({ action, fields }) {
    const headers = { origin: this.base, "content-type": "application/x-www-form-urlencoded" };
    const body = new URLSearchParams(fields).toString();
    return this.#request(new URL(action, this.base), { method: "POST", headers, body });
  }

  async #follow(answer) {
    const target = answer.location && new URL(answer.location, this.base);
    if (!target || target.origin !== this.base) return answer;
    return this.#follow(await this.#request(target));
  }

  async #request(address, { method = "GET", headers = {}, body = "" } = {}) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await exchange(new URL(address), { method, headers: { ...headers, ...(cookie && { cookie }) } }, body);
    for (const set of answer.cookies) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set);
      if (value) this.cookies.set(name, value);
      else this.cookies.delete(name);
    }
    return answer;
  }
}

// Sends one request and reads the whole answer. `fetch` of Node 18, as Debian 12 packages it, cannot tell two cookies
// of one answer apart, so this stands on the older module.
function exchange(url, options, body) {
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (part) => (text += part));
      answer.on("error", reject);
      answer.on("end", () => {
        const { location, "set-cookie": cookies = [] } = answer.headers;
        resolve({ url, status: answer.statusCode, location, cookies, text });
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
