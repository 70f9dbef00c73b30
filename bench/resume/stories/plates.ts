import { code, log, matches, passed } from "../filler.ts";
import { agent, bash, edit, failing, grep, read, type Story, todo, user, write } from "../story.ts";

const nouns = ["plate", "well", "assay", "reading", "curve", "control"];
const files = [
  "platelab/ingest/reader.py",
  "platelab/fit/curve.py",
  "platelab/store/rows.py",
  "platelab/cli/main.py",
];

export const plates: Story = {
  id: "plates",
  folder: "/home/lab/platelab",
  steps: [
    user(
      "The July dose-response runs contain wells twice, and the IC50 values move because of it. Find out where the duplicates come from. Raw files under /data/raw are read-only for you and must stay that way, they are the lab's record. Explain things as to a biologist, I am not a programmer.",
    ),
    todo("[>] Find where wells are duplicated", "[ ] Fix the import", "[ ] Recompute the July runs"),
    grep("read_plate|drop_duplicates|well_id", matches(61, files, nouns, 42)),
    read(
      "/home/lab/platelab/platelab/ingest/reader.py",
      code("python", 62, nouns, {
        middle: `def read_export(path: Path) -> Iterator[Reading]:
    """One row per well. The reader writes a block per measurement."""
    for block in split_blocks(path.read_text("utf-8-sig")):
        plate = block.header["Plate"]
        for row in block.rows:
            yield Reading(plate=plate, well=row["Well"], value=float(row["OD600"]))`,
        length: 7_500,
      }),
    ),
    bash(
      "python -m platelab doctor --run 2026-07-11 --duplicates",
      `${log(63, nouns, 35, "2026-07-12T06:00:00Z")}\nplates: 48\nwells: 18432 expected, 18816 found\nduplicated: 384, all on plate P-0711-C`,
    ),
    agent(
      "One plate is in there twice: P-0711-C has all of its 384 wells two times, and the other 47 plates are fine. So it is not the calculation, it is one file that was read twice or holds two measurements.",
    ),
    bash(
      "ls -la /data/raw/2026-07-11 | grep C",
      "-r--r--r-- 1 reader lab 61204 Jul 11 17:02 P-0711-C.csv\n-r--r--r-- 1 reader lab 61311 Jul 11 17:48 P-0711-C_1.csv",
    ),
    agent(
      "There are two files for that plate, 46 minutes apart. The second is named P-0711-C_1.csv, and our reader takes the plate's name from inside the file, so both count as P-0711-C.",
    ),
    edit(
      "/home/lab/platelab/platelab/ingest/reader.py",
      "yield Reading(plate=plate,",
      "yield Reading(plate=path.stem,",
    ),
    failing(
      "python -m pytest tests/ingest -q",
      `${passed(64, nouns, 22, "PASSED")}
FAILED tests/ingest/test_reader.py::test_plate_name_survives_renaming
E   AssertionError: assert 'P-0601-A (copy)' == 'P-0601-A'
1 failed, 22 passed`,
    ),
    agent(
      "That was too simple. Using the file's name breaks renamed copies, and there is a test that says so. I take it back.",
    ),
    bash("git checkout platelab/ingest/reader.py", ""),
    user(
      "I asked in the lab: on July 11 the lamp of the reader failed in the middle of plate C, and they measured the plate again. So the later measurement counts, and the first one must not be used at all, not even averaged in.",
    ),
    read("/home/lab/platelab/platelab/ingest/blocks.py", code("python", 65, nouns, { length: 6_500 })),
    bash(
      "head -c 400 /data/raw/2026-07-11/P-0711-C.csv; echo; grep -n -i 'lamp' /data/raw/2026-07-11/*.csv",
      `Plate;P-0711-C\nMeasured;2026-07-11 16:31\nGain;1840\n/data/raw/2026-07-11/P-0711-C.csv:212:# W-073 lamp intensity low\n/data/raw/2026-07-11/P-0711-C.csv:391:# W-073 lamp intensity low`,
    ),
    agent(
      "The machine itself noted it: the first file has the warning W-073 'lamp intensity low' at lines 212 and 391. So we can recognise such a measurement, and need not guess by the file's name.",
    ),
    user(
      "Good. But do not drop every file with W-073 by yourself: the warning also appears when somebody opens the lid. Only drop it if there is a later measurement of the same plate on the same day, and write the name of the dropped file into the report.",
    ),
    edit(
      "/home/lab/platelab/platelab/ingest/reader.py",
      "def read_export(path: Path)",
      'def superseded(files: Sequence[Export]) -> list[Export]:\n    """Exports with W-073 that were measured again on the same day."""\n\n\ndef read_export(path: Path)',
    ),
    write(
      "/home/lab/platelab/tests/ingest/test_superseded.py",
      code("python", 66, nouns, { head: "from platelab.ingest.reader import superseded", length: 3_500 }),
    ),
    bash("python -m pytest tests/ingest -q", `${passed(67, nouns, 31, "PASSED")}\n31 passed in 4.40s`),
    bash(
      "python -m platelab recompute --run 2026-07-11 --dry-run",
      `${log(68, nouns, 40, "2026-09-20T10:00:00Z")}\nsuperseded: P-0711-C.csv (W-073, measured again 17:48)\nwells: 18432\nIC50 changed on 6 compounds: CMP-118 0.42 -> 0.31 µM, CMP-240 1.9 -> 1.7 µM, 4 below 3 %`,
    ),
    agent(
      "With the broken measurement left out there are 18,432 wells, as there should be. Six compounds change; the one that matters is CMP-118, from 0.42 to 0.31 µM. This was a dry run, nothing is written.",
    ),
    user(
      "CMP-118 is the one in the patent draft. Do not write anything into the results table for it until Friday, the patent attorney has to see both values first. The other five you may recompute now.",
    ),
    bash(
      "python -m platelab recompute --run 2026-07-11 --except CMP-118",
      `${log(69, nouns, 30, "2026-09-20T10:20:00Z")}\nwritten: 5 compounds, revision 2026-07-11.r2\nskipped: CMP-118 (requested)`,
    ),
    agent("Done for the five, as revision 2026-07-11.r2. CMP-118 still has its old value of 0.42."),
    user("Are other runs affected in July?"),
    bash(
      "for d in /data/raw/2026-07-*; do python -m platelab doctor --run $(basename $d) --superseded; done",
      `${log(70, nouns, 45, "2026-09-20T10:40:00Z")}\n2026-07-03: none\n2026-07-11: P-0711-C.csv\n2026-07-18: P-0718-F.csv (W-073), no later measurement, kept\n2026-07-24: none`,
    ),
    agent(
      "Only one other warning: P-0718-F on July 18 has W-073 too, but was never measured again, so it is kept. Somebody in the lab could tell whether the lid was opened.",
    ),
    user(
      "I will ask about P-0718-F myself. Something else now: I want to give platelab to the group in Uppsala. They have Windows machines without Python and no administrator rights. Make something that they can download and start.",
    ),
    todo(
      "[x] Find where wells are duplicated",
      "[x] Fix the import",
      "[ ] CMP-118 after Friday",
      "[>] A package for Windows without Python",
    ),
    read(
      "/home/lab/platelab/pyproject.toml",
      `[project]\nname = "platelab"\nversion = "2.4.0"\nrequires-python = ">=3.12"\ndependencies = ["numpy>=2.1", "scipy>=1.15", "polars>=1.20", "typer>=0.15"]\n[project.scripts]\nplatelab = "platelab.cli.main:app"\n[project.optional-dependencies]\nplots = ["matplotlib>=3.10"]`,
    ),
    read("/home/lab/platelab/platelab/cli/main.py", code("python", 71, nouns, { length: 7_500 })),
    agent("I try PyInstaller with a single file first: one program to download, nothing to install."),
    failing(
      "gh workflow run windows.yml -f mode=onefile && gh run watch 118",
      `${log(72, ["module", "hook", "binary"], 40, "2026-09-21T08:00:00Z")}\nbuilt dist/platelab.exe 214 MB\nsmoke: platelab.exe --version\n  Windows Defender: Trojan:Win32/Wacatac.B!ml, file removed\nX smoke test failed`,
    ),
    agent(
      "Windows Defender takes the single-file program for a virus and deletes it, which is a known false alarm for programs that unpack themselves. That would happen in Uppsala too, so one file is no way.",
    ),
    user(
      "Then no single file. A zip that they unpack is fine. It must not be larger than 100 MB, their mail gateway cuts at that.",
    ),
    bash(
      "gh workflow run windows.yml -f mode=onedir && gh run watch 119",
      `${log(73, ["module", "hook", "binary"], 40, "2026-09-21T08:30:00Z")}\ndist/platelab: 388 MB, zipped 151 MB\nlargest: scipy 121 MB, polars 98 MB, matplotlib 62 MB, numpy.libs 41 MB\nsmoke: ok, Defender: no finding`,
    ),
    agent(
      "As a folder it starts and Defender is quiet, but the zip is 151 MB. The largest parts are scipy (121 MB unpacked), polars (98 MB) and matplotlib (62 MB).",
    ),
    grep(
      "import scipy|from scipy",
      "platelab/fit/curve.py:9:from scipy.optimize import curve_fit\nplatelab/fit/curve.py:10:from scipy.stats import t",
    ),
    read(
      "/home/lab/platelab/platelab/fit/curve.py",
      code("python", 74, nouns, {
        middle: `def fit_four_parameters(dose: Array, response: Array) -> Curve:
    values, covariance = curve_fit(logistic4, dose, response, p0=start_of(response), maxfev=4_000)
    half = t.ppf(0.975, len(dose) - 4) * np.sqrt(np.diag(covariance))
    return Curve(*values, interval=half)`,
        length: 7_000,
      }),
    ),
    agent(
      "scipy is used for two functions only, the curve fit and one quantile. I could write the fit with numpy and drop scipy.",
    ),
    user(
      "No. The fit is validated with scipy, and the validation report names it. Changing it would cost us weeks. Look for the megabytes elsewhere.",
    ),
    bash(
      "python scripts/what-is-imported.py",
      "matplotlib: imported by platelab.plots only\npolars: imported by 14 modules\nscipy submodules reached: optimize, stats, special, linalg, sparse, spatial\nscipy submodules bundled: all 17\ntests of numpy, scipy and matplotlib bundled: 44 MB",
    ),
    agent(
      "There is enough to remove without touching the fit: the bundled tests of the libraries (44 MB), eleven scipy parts that nothing reaches, and matplotlib, which only the plots need.",
    ),
    edit(
      "/home/lab/platelab/packaging/platelab.spec",
      "excludes=[]",
      'excludes=["matplotlib", "scipy.io", "scipy.signal", "scipy.ndimage", "scipy.fft", "*.tests"]',
    ),
    failing(
      "gh workflow run windows.yml -f mode=onedir && gh run watch 121",
      `${log(75, ["module", "hook", "binary"], 30, "2026-09-21T09:30:00Z")}\nzipped 93 MB\nsmoke: platelab fit example.csv\n  ModuleNotFoundError: No module named 'scipy.fft' (imported by scipy.stats._kde)\nX smoke test failed`,
    ),
    agent(
      "93 MB, but scipy.stats needs scipy.fft even though our list did not show it. I leave scipy.fft in.",
    ),
    edit("/home/lab/platelab/packaging/platelab.spec", '"scipy.fft", ', ""),
    bash(
      "gh workflow run windows.yml -f mode=onedir && gh run watch 122",
      `${log(76, ["module", "hook", "binary"], 40, "2026-09-21T10:00:00Z")}\nzipped 96 MB, sha256 4fd1c0…e2\nsmoke: version ok, fit ok (IC50 0.310), Defender: no finding\nartifact: platelab-2.4.0-windows.zip`,
    ),
    agent(
      "Run 122 is good: platelab-2.4.0-windows.zip, 96 MB, starts, fits the example with the same result, and Defender has no objection.",
    ),
    user("And the plots? They do need the dose-response picture."),
    agent(
      "Plots are out with matplotlib. I see two ways: a second zip with matplotlib, or writing the picture as SVG ourselves.",
    ),
    user(
      "Write the SVG, but only the dose-response curve, not the heat maps. And axis labels in µM with a decimal comma, the Swedes insist.",
    ),
    write(
      "/home/lab/platelab/platelab/plots/svg_curve.py",
      code("python", 77, ["curve", "axis", "tick", "label"], {
        head: '"""Draws a dose-response curve as SVG, with a decimal comma."""',
        length: 5_500,
      }),
    ),
    bash(
      "python -m pytest tests/plots -q",
      `${passed(78, ["curve", "axis", "tick", "label"], 19, "PASSED")}\n19 passed in 1.02s`,
    ),
    agent(
      "platelab/plots/svg_curve.py draws the curve with a logarithmic axis and a decimal comma. It is wired to `platelab fit --picture`.",
    ),
    read("/home/lab/platelab/platelab/cli/fit.py", code("python", 79, nouns, { length: 6_000 })),
    failing(
      "gh workflow run windows.yml -f mode=onedir && gh run watch 124",
      `${log(80, ["module", "hook", "binary"], 25, "2026-09-21T13:00:00Z")}\nsmoke: platelab fit example.csv --picture out.svg\n  UnicodeEncodeError: 'charmap' codec can't encode character '\\u03bc'\nX smoke test failed`,
    ),
    agent(
      "On Windows the file was written with the system's code page, which has no Greek mu. I write it as UTF-8 explicitly. There are two characters that look like µ; Excel in the lab exports the micro sign U+00B5, and our label used the Greek U+03BC. I use U+00B5 in both.",
    ),
    edit(
      "/home/lab/platelab/platelab/plots/svg_curve.py",
      "path.write_text(text)",
      'path.write_text(text.replace("\\u03bc", "\\u00b5"), encoding="utf-8")',
    ),
    bash(
      "git commit -am 'feat(plots): draw the curve without matplotlib' && gh workflow run windows.yml -f mode=onedir && gh run watch 125",
      `[uppsala 31d7ab9] feat(plots): draw the curve without matplotlib\n${log(81, ["module", "hook", "binary"], 35, "2026-09-21T14:00:00Z")}\nzipped 96 MB, smoke: version ok, fit ok, picture ok, Defender: no finding`,
    ),
    todo(
      "[x] Find where wells are duplicated",
      "[x] Fix the import",
      "[ ] CMP-118 after Friday",
      "[x] A package for Windows without Python",
      "[ ] A one-page guide in English",
      "[ ] Let Uppsala try it",
    ),
    user(
      "Wonderful. Next a guide, one page, English, with screenshots of the zip and of the first run. Put it into the zip as START-HERE.pdf. Do not send anything to Uppsala yet: first our own technician tries it on the old laptop in room 2.14.",
    ),
    agent("I begin with the text of the guide."),
    user("Yes please."),
  ],
  questions: [
    {
      id: "2",
      kind: "wish",
      question:
        "What exactly should the picture without matplotlib show, and how should its labels be written?",
      gold: "Only the dose-response curve (no heat maps), axis labels in µM with a decimal comma.",
    },
    {
      id: "4",
      kind: "state",
      question: "What is open about plate P-0718-F?",
      gold: "It has W-073 but was not measured again, so it is kept; the user asks the lab about it.",
    },
    {
      id: "6",
      kind: "finding",
      question: "Where did the duplicated wells come from?",
      gold: "Plate P-0711-C was measured twice (the lamp failed), two files (P-0711-C.csv and P-0711-C_1.csv) with the same plate name inside.",
    },
    {
      id: "8",
      kind: "finding",
      question: "Which parts made the Windows package larger than allowed without being needed?",
      gold: "Bundled tests of the libraries (44 MB), unused scipy submodules, and matplotlib.",
    },
    {
      id: "10",
      kind: "failure",
      question: "Which excluded part of a library had to be put back, and why?",
      gold: "scipy.fft; scipy.stats imports it.",
    },
    {
      id: "12",
      kind: "artefact",
      question: "Which file draws the curve, and with which option is it used?",
      gold: "platelab/plots/svg_curve.py; platelab fit --picture.",
    },
    {
      id: "14",
      kind: "decision",
      question: "Why is scipy kept for the fit?",
      gold: "The fit is validated with scipy and the validation report names it; changing it would cost weeks.",
    },
  ],
};
