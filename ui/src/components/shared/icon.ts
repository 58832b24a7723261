// Reads the inner markup of an icon as data: plain shapes with drawing attributes, nothing else.

const TAGS = new Set(["path", "circle", "rect", "line", "polyline", "polygon", "ellipse"]);
const ATTRIBUTES =
  /^(d|cx|cy|r|rx|ry|x|y|x1|y1|x2|y2|width|height|points|fill|stroke|stroke-[a-z]+|fill-rule|clip-rule|opacity|transform)$/;

export interface Shape {
  tag: string;
  attributes: Record<string, string>;
}

export function shapes(markup: string): Shape[] {
  const parsed = new DOMParser().parseFromString(
    `<svg xmlns="http://www.w3.org/2000/svg">${markup}</svg>`,
    "image/svg+xml",
  );
  return [...parsed.querySelectorAll("*")]
    .filter((element) => TAGS.has(element.localName))
    .map((element) => ({
      tag: element.localName,
      attributes: Object.fromEntries(
        [...element.attributes]
          .filter((a) => ATTRIBUTES.test(a.name) && !a.value.includes("url"))
          .map((a) => [a.name, a.value]),
      ),
    }));
}
