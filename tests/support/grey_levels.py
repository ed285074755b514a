"""Pictures as grey levels."""

from base64 import b64decode, b64encode
from typing import Any

import numpy as np
from playwright.sync_api import Page

GREYS = """async (text) => {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  const { width, height } = picture;
  const paper = new OffscreenCanvas(width, height).getContext('2d');
  paper.drawImage(picture, 0, 0);
  const { data } = paper.getImageData(0, 0, width, height);
  const greys = new Uint8Array(width * height);
  for (const at of greys.keys()) greys[at] = (data[4 * at] + data[4 * at + 1] + data[4 * at + 2]) / 3;
  return [width, height, btoa(Array.from(greys, (grey) => String.fromCharCode(grey)).join(''))];
}"""
"""Script that decodes a PNG and returns its width, height and grey levels, 0 to 255."""


def greys(page: Page, picture: bytes) -> Any:
    """Return the pixels of a PNG as grey levels; the browser decodes it."""
    width, height, levels = page.evaluate(GREYS, b64encode(picture).decode())
    return np.frombuffer(b64decode(levels), np.uint8).reshape(height, width).astype(float)
