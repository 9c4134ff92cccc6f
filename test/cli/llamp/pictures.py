"""Check the SVG files of folders: they are XML, need no other file, and have a size, a title and their colours."""
import glob
import os
import re
import sys
import xml.etree.ElementTree

SVG = "{http://www.w3.org/2000/svg}"
ALLOWED = {SVG + name for name in "svg title style defs pattern path rect g line text tspan circle clipPath".split()}


def faults(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    root = xml.etree.ElementTree.fromstring(text)
    width, height = (float(number) for number in root.get("viewBox").split()[2:])
    if root.get("width") != f"{width / 4:g}mm" or abs(float(root.get("height")[:-2]) - height / 4) > 0.01:
        yield "its size is not a quarter of a millimetre for a pixel"
    if not root.findtext(SVG + "title") or not root.findtext(SVG + "style"):
        yield "it has no title or no style"
    yield from (f"{element.tag} is not allowed" for element in root.iter() if element.tag not in ALLOWED)
    yield from (f"it refers to {link}" for link in re.findall(r"url\(([^#][^)]*)\)|href|@import|var\(", text))
    if text.count("http") != 1:
        yield "it has an address besides that of its name space"
    classes = {name for element in root.iter() for name in element.get("class", "").split()}
    known = set(re.findall(r"\.([a-z]+\d?)", root.findtext(SVG + "style")))
    yield from (f"text is outside: {element.text}" for element in root.iter(SVG + "text")
                if not (0 <= float(element.get("x")) <= width and 0 <= float(element.get("y")) <= height))
    structure = {"d", "panel", "series", "legend", "row", "name", "xtick"}
    yield from (f"class {name} has no style" for name in sorted(classes - known - structure))


found = [f"{path}: {fault}" for folder in sys.argv[1:] for path in sorted(glob.glob(os.path.join(folder, "*.svg")))
         for fault in faults(path)]
print("\n".join(found))
sys.exit(bool(found) or not glob.glob(os.path.join(sys.argv[1], "*.svg")))
