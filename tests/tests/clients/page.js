// A page in headless Chromium, at the width of a phone: what it asked the network for, what does
// not fit, what ran. Prints one JSON object. With a folder, it leaves pictures there.
//
//   node page.js CHROMIUM FILE [FOLDER]
"use strict";
const { spawn } = require("node:child_process");
const { mkdtempSync, rmSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join, resolve } = require("node:path");
const { pathToFileURL } = require("node:url");

const [chromium, file, pictures] = process.argv.slice(2);
const profile = mkdtempSync(join(tmpdir(), "page-"));
const browser = spawn(
  chromium,
  [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--hide-scrollbars", "--remote-debugging-pipe", `--user-data-dir=${profile}`,
  ],
  // A group of its own, so that all of the browser's processes end together.
  { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], detached: true },
);
const end = () => {
  try {
    process.kill(-browser.pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
};
const [toBrowser, fromBrowser] = [browser.stdio[3], browser.stdio[4]];

// The DevTools protocol over a pipe: JSON, a NUL after each message.
let last = 0;
const waiting = new Map();
const listeners = new Map();
let unread = "";
fromBrowser.setEncoding("utf8");
fromBrowser.on("data", (chunk) => {
  const messages = (unread + chunk).split("\0");
  unread = messages.pop();
  for (const text of messages) {
    const message = JSON.parse(text);
    const answer = waiting.get(message.id);
    if (answer) {
      waiting.delete(message.id);
      message.error ? answer.reject(new Error(message.error.message)) : answer.resolve(message.result);
    } else {
      for (const listener of listeners.get(message.method) ?? []) listener(message.params);
    }
  }
});
let session;
const call = (method, params = {}) =>
  new Promise((resolve, reject) => {
    last += 1;
    waiting.set(last, { resolve, reject });
    toBrowser.write(JSON.stringify({ id: last, method, params, sessionId: session }) + "\0");
  });
const on = (method, listener) => listeners.set(method, [...(listeners.get(method) ?? []), listener]);
const evaluate = async (expression) => {
  const { result, exceptionDetails } = await call("Runtime.evaluate", { expression, returnByValue: true });
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value;
};
const size = (width, mobile) =>
  call("Emulation.setDeviceMetricsOverride", { width, height: 740, deviceScaleFactor: 1, mobile });

// In the page: what reaches over the right edge and does not scroll by itself.
const measure = `(() => {
  const shown = [...document.querySelectorAll("body *")].filter((e) => e.getClientRects().length > 0);
  const own = (e) => e.closest(".scroll") !== null && !e.matches(".scroll");
  const over = shown.filter((e) => !own(e) && e.getBoundingClientRect().right > innerWidth + 0.5);
  const texts = [...document.querySelectorAll("svg text")].filter((e) => e.getClientRects().length > 0);
  const cut = texts.filter((e) => {
    const [text, drawing] = [e.getBoundingClientRect(), e.ownerSVGElement.getBoundingClientRect()];
    return text.left < drawing.left - 1 || text.right > drawing.right + 1;
  });
  return {
    page_width: document.documentElement.scrollWidth,
    over: over.map((e) => e.outerHTML.slice(0, 120)),
    charts: document.querySelectorAll("svg[role=img]").length,
    charts_shown: [...document.querySelectorAll("svg[role=img]")].filter((e) => e.getClientRects().length > 0).length,
    unnamed: [...document.querySelectorAll("svg[role=img]")].filter((e) =>
      !e.getAttribute("aria-labelledby").split(" ").every((id) => document.getElementById(id)?.textContent)).length,
    cut: cut.map((e) => e.textContent.trim()),
    smallest_text: Math.min(...texts.map((e) => e.getBoundingClientRect().height)),
  };
})()`;

async function picture(name, width, scheme) {
  await size(width, width < 500);
  await call("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
  const { cssContentSize: all } = await call("Page.getLayoutMetrics");
  const clip = { x: 0, y: 0, width, height: all.height, scale: 1 };
  const { data } = await call("Page.captureScreenshot", { clip, captureBeyondViewport: true });
  writeFileSync(join(pictures, name), Buffer.from(data, "base64"));
}

async function main() {
  const { targetId } = await call("Target.createTarget", { url: "about:blank" });
  ({ sessionId: session } = await call("Target.attachToTarget", { targetId, flatten: true }));
  const requests = [];
  const dialogs = [];
  on("Network.requestWillBeSent", ({ request }) => requests.push(request.url));
  on("Page.javascriptDialogOpening", ({ message }) => {
    dialogs.push(message);
    call("Page.handleJavaScriptDialog", { accept: true });
  });
  for (const domain of ["Network", "Page", "Runtime"]) await call(`${domain}.enable`);
  await size(360, true);
  const loaded = new Promise((done) => on("Page.loadEventFired", done));
  const url = pathToFileURL(resolve(file)).href;
  await call("Page.navigate", { url });
  await loaded;
  const found = { requests: requests.filter((request) => request !== url), dialogs };
  found.scripts = await evaluate("document.scripts.length");
  found.phone = await evaluate(measure);
  await evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true })");
  found.phone_open = await evaluate(measure);
  await size(1024, false);
  found.desk = await evaluate(measure);
  found.tables = await evaluate(`[...document.querySelectorAll("table")].map((table) => ({
    title: table.caption.textContent,
    rows: [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent)),
  }))`);
  found.text = await evaluate("document.querySelector('main').innerText");
  const colours = "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector('.chart.wide text')).fill]";
  for (const scheme of ["light", "dark"]) {
    await call("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
    found[scheme] = await evaluate(colours);
  }
  await evaluate("document.querySelectorAll('details').forEach((e) => { e.open = false })");
  if (pictures) {
    await picture("light.png", 820, "light");
    await picture("dark.png", 820, "dark");
    await picture("phone.png", 360, "light");
    await call("Emulation.setEmulatedMedia", { features: [] });
    const { data } = await call("Page.printToPDF", { preferCSSPageSize: true });
    writeFileSync(join(pictures, "print.pdf"), Buffer.from(data, "base64"));
  }
  console.log(JSON.stringify(found));
}

const overdue = setTimeout(() => {
  console.error("the browser did not answer in 60 s");
  end();
  process.exitCode = 1;
}, 60000);
main()
  .catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  })
  .finally(() => {
    clearTimeout(overdue);
    browser.once("exit", () => {
      try {
        rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
      } catch (error) {
        // What was found stands all the same.
        console.error(`${profile} was left: ${error.message}`);
      }
    });
    end();
  });
