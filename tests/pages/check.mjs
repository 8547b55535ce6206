// Opens every page in Chromium, light and dark, wide and narrow, and reports what axe finds
// and what the browser complains of, as JSON on standard output.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const { browser: executablePath, link, pages } = JSON.parse(readFileSync(0, "utf8"));
const base = new URL(link).origin;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });

// The link signs in once; every other context gets the cookie.
const first = await browser.newContext();
const door = await first.newPage();
await door.goto(link);
await Promise.all([door.waitForURL((u) => !u.pathname.includes("login")), door.getByRole("button").first().click()]);
const cookies = await first.cookies();
await first.close();

const found = [];
let looked = 0;
for (const colorScheme of ["light", "dark"]) {
  for (const width of [1280, 360]) {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
    await context.addCookies(cookies);
    const page = await context.newPage();
    let at = "";
    const report = (what) => found.push(`${at} (${colorScheme}, ${width} px): ${what}`);
    page.on("pageerror", (e) => report(`the page fails: ${e.message}`));
    // A browser asks for an icon by itself, and there is none.
    page.on("console", (m) => m.type() === "error" && !m.location().url.endsWith("/favicon.ico") && report(`the console says ${m.text()}`));
    page.on("request", (r) => r.url().startsWith(base) || r.url().startsWith("data:") || report(`it asks for ${r.url()}`));
    for (const path of pages) {
      at = path;
      await page.goto(base + path);
      if (path === "/docs/api") await page.locator("#api .info").waitFor(); // a script writes the page
      await page.evaluate(axe);
      // What stands in #api is Swagger UI, whose colours and headings are not ours.
      const { violations, passes } = await page.evaluate(() => window.axe.run({ exclude: [["#api"]] }));
      for (const v of violations) {
        for (const node of v.nodes) {
          report(`${v.id}: ${v.help}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ""}`);
        }
      }
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      if (wide > 1) report(`it is ${wide} px wider than the window`);
      if (passes.length > 5) looked++;
    }
    await context.close();
  }
}
await browser.close();
process.stdout.write(JSON.stringify({ looked, found }));
