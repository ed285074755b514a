// Runs in the head, in browsers without modules, too: it is in the JavaScript of 2009. If no module of the page has started by the
// end of its loading, the page becomes the one without scripts, where every move is a link.
addEventListener("load", function () {
  var root = document.documentElement;
  if (root.hasAttribute("data-started")) return;
  root.className += " unscripted";
  var parts = document.querySelectorAll("noscript");
  for (var index = 0; index < parts.length; index++) {
    var part = document.createElement("div");
    part.innerHTML = parts[index].textContent || "";
    /** @type {Node} */ (parts[index].parentNode).replaceChild(part, parts[index]);
  }
});
