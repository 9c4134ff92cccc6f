"""Pages in headless Chromium, driven by Selenium: what they ask for, say, and show.

    with Browser() as browser:
        browser.open("/tmp/page.html", width=390, dark=True)
        print(browser.messages(), browser.requests(), browser.texts())
"""
import base64
import json
import shutil
import tempfile

MISSING = ""
try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
except ImportError:
    MISSING = "the Debian package python3-selenium is missing; make deps-browser installs it"
for program in ("chromium", "chromedriver"):
    if not shutil.which(program):
        MISSING = f"the program {program} is missing; make deps-browser installs it"

# A container may have little shared memory.
ARGUMENTS = ["--headless", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars"]

# Boxes of all texts of the pictures that are shown: number of the picture, text, left, top, right, bottom.
TEXTS = """
return [...document.querySelectorAll('svg.d')].filter(svg => svg.getClientRects().length).flatMap((svg, number) =>
    [...svg.querySelectorAll('text')].map(text => {
        const box = text.getBoundingClientRect();
        return [number, text.textContent, box.left, box.top, box.right, box.bottom];
    }));
"""
PICTURES = """
return [...document.querySelectorAll('svg.d')].filter(svg => svg.getClientRects().length).map(svg => {
    const box = svg.getBoundingClientRect();
    return [box.left, box.top, box.right, box.bottom];
});
"""
# Elements of the page whose content is cut off or goes beyond the page.
CLIPPED = """
const width = document.documentElement.clientWidth;
return [...document.querySelectorAll('body, body *')].filter(element => !element.closest('svg') && !element.closest('.scroll'))
    .filter(element => element.getClientRects().length)
    .filter(element => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display != 'inline' ||
        element.getBoundingClientRect().right > width + 0.5)
    .map(element => element.tagName + ' ' + element.textContent.slice(0, 40));
"""
# Contrast of each text of page and pictures with the page behind it (WCAG 2.1), least first.
CONTRASTS = """
function luminance(colour) {
    const parts = colour.match(/[\\d.]+/g).slice(0, 3).map(part => part / 255)
        .map(part => part <= 0.03928 ? part / 12.92 : Math.pow((part + 0.055) / 1.055, 2.4));
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
}
const paper = luminance(getComputedStyle(document.body).backgroundColor);
return [...document.querySelectorAll('svg.d text, h1, h2, p, th, td, dt, dd, figcaption')].map(element => {
    const style = getComputedStyle(element);
    const ink = luminance(element.closest('svg') ? style.fill : style.color);
    return [(Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05), element.textContent.slice(0, 40)];
}).sort((one, other) => one[0] - other[0]);
"""


class Browser:
    def __enter__(self):
        self.folder = tempfile.mkdtemp()
        options = Options()
        for argument in ARGUMENTS + ["--user-data-dir=" + self.folder]:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        # A hang, not a slow computer, is what ends them.
        self.driver.set_page_load_timeout(300)
        self.driver.set_script_timeout(300)
        return self

    def __exit__(self, *error):
        self.driver.quit()
        shutil.rmtree(self.folder, ignore_errors=True)

    def open(self, path, width, dark=False, media=""):
        """Open a file in a window of a width, for a screen or for `media` "print"."""
        command = self.driver.execute_cdp_cmd
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        command("Emulation.setEmulatedMedia", {"media": media, "features": [scheme]})
        command("Emulation.setDeviceMetricsOverride",
                {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600})
        self.driver.get_log("performance"), self.driver.get_log("browser")
        self.driver.get("file://" + path)

    def requests(self):
        """Addresses that were asked for since the page was opened, and the page's own."""
        entries = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [entry["params"]["request"]["url"] for entry in entries if entry["method"] == "Network.requestWillBeSent"]

    def messages(self):
        """What the page wrote on the console since it was opened, its errors too."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def run(self, script):
        return self.driver.execute_script(script)

    def texts(self):
        return self.run(TEXTS)

    def pictures(self):
        return self.run(PICTURES)

    def clipped(self):
        return self.run(CLIPPED)

    def contrasts(self):
        return self.run(CONTRASTS)

    def overflow(self):
        """Pixels by which the page is wider than its window."""
        return self.run("return document.documentElement.scrollWidth - window.innerWidth")

    def pdf(self):
        """The page as printed on A4."""
        printed = self.driver.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True, "paperWidth": 8.27,
                                                                  "paperHeight": 11.69})
        return base64.b64decode(printed["data"])
