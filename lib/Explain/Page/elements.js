function make(tag, className, content) {
  const element = document.createElement(tag);
  if (className)
    element.className = className;
  if (content)
    element.textContent = content;
  return element;
}

/// Format as text, shape and color.
function makeChip(format) {
  const chip = make("span", `chip ${format}`);
  const shape = make("span", "shape");
  shape.setAttribute("aria-hidden", "true");
  chip.append(shape, make("span", "", format.toUpperCase()));
  return chip;
}
