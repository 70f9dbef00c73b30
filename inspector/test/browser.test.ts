// All tests in a browser run in one process and share the browser: starting both takes longer than most of the tests.
import "./hosts.browser.ts";
import "./memory.browser.ts";
import "./memory-app.browser.ts";
import "./newcomer.browser.ts";
import "./pictures.browser.ts";
import "./views.browser.ts";
