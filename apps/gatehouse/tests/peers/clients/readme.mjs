// The pictures of the README. `node readme.mjs PACKAGES CHROMIUM JSON`
//
// They are written to the directory that GATEHOUSE_TEST_PICTURES names.

import assert from "node:assert/strict";

import { close, setup, signIn, snap, story } from "./window.mjs";

// Name, severity, service, and what the alert says.
const ALERTS = [
  ["HighErrorRate", "critical", "checkout", "5 % of the requests fail"],
  ["PostgresReplicationLag", "high", "orders-db", "the replica is 94 s behind"],
  ["CertificateExpiresSoon", "medium", "shop.example.com", "the certificate expires in 6 days"],
  ["QueueBacklog", "medium", "mailer", "12,400 messages are waiting"],
  ["DiskWillFillIn4Hours", "high", "storage-2", "/var/lib has 3 % left"],
  ["SlowResponses", "low", "search", "the 99th percentile is 1.8 s"],
  ["NodeNotReady", "critical", "worker-5", "the kubelet has not reported for 5 minutes"],
  ["BackupIsLate", "low", "orders-db", "the last backup is 26 hours old"],
];

await story("the lists that the README shows", async (page) => {
  const alerts = ALERTS.map(([alertname, severity, service, summary], number) => ({
    status: "firing",
    labels: { alertname, severity, service, gitlab_environment_name: "production" },
    annotations: { title: `${alertname}: ${service}`, description: summary },
    startsAt: new Date(Date.now() - (number * 11 + 3) * 60_000).toISOString(),
    endsAt: "0001-01-01T00:00:00Z",
    fingerprint: `readme-${number}`,
  }));
  const response = await fetch(setup.alerts_url, {
    method: "POST",
    headers: { authorization: `Bearer ${setup.alerts_key}`, "content-type": "application/json" },
    body: JSON.stringify({
      version: "4",
      groupKey: "{}",
      receiver: "gatehouse",
      status: "firing",
      alerts,
      groupLabels: {},
      commonLabels: {},
      commonAnnotations: {},
      externalURL: "http://alertmanager.example.com",
    }),
  });
  assert.equal(response.status, 200, await response.text());
  await signIn(page);
  await page.setViewportSize({ width: 1120, height: 720 });
  await page.goto("/acme/web-shop/-/alert_management");
  await page.getByRole("link", { name: "NodeNotReady" }).waitFor();
  await snap(page, "alerts");
  await page.goto("/acme/web-shop/-/error_tracking");
  await page.getByRole("link", { name: "PaymentError: order 8814 has no amount" }).click();
  await page.getByRole("heading", { name: "PaymentError" }).first().waitFor();
  await snap(page, "error");
});

await close();
