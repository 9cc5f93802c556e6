// A client of the types that openapi-typescript generates from the document makes five calls.

import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

declare const process: { argv: string[] };

type Label = components["schemas"]["Label"];
type CurrentUser = components["schemas"]["CurrentUser"];

function assert(holds: boolean, what: unknown): asserts holds {
  if (!holds) {
    throw new Error(JSON.stringify(what));
  }
}

const facts: { base_url: string; token: string; username: string; project: string } = JSON.parse(process.argv[2]!);
const headers = { Authorization: `Bearer ${facts.token}` };
const client = createClient<paths>({ baseUrl: facts.base_url, headers });
const id = facts.project;

const user = await client.GET("/api/v4/user");
const who: CurrentUser | undefined = user.data;
assert(who?.username === facts.username, user.error);
// The compiler holds the types: neither may be null.
const picture: string = who.avatar_url;
assert(picture.startsWith(facts.base_url), picture);

const project = await client.GET("/api/v4/projects/{id}", { params: { path: { id } } });
assert(project.data !== undefined, project.error);
const address: string = project.data.http_url_to_repo;
assert(address === `${facts.base_url}/${id}.git`, address);

const body = { name: "generated/label", color: "#336699", description: "Made by a program" };
const made = await client.POST("/api/v4/projects/{id}/labels", { params: { path: { id } }, body });
const label: Label | undefined = made.data;
assert(label?.name === body.name, made.error);

const listed = await client.GET("/api/v4/projects/{id}/labels", { params: { path: { id } } });
const names = listed.data?.map((one) => one.name);
assert(JSON.stringify(names) === JSON.stringify([body.name]), listed);

const path = { id, label_id: label.name };
const gone = await client.DELETE("/api/v4/projects/{id}/labels/{label_id}", { params: { path } });
assert(gone.response.status === 204, gone);

console.log("user, project, label made, listed and gone");
