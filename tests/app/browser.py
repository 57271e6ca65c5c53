"""Chromium without a screen."""
import io

import numpy
from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.service import Service


def open_browser():
    options = webdriver.ChromeOptions()
    for word in (
        "headless=new use-gl=angle use-angle=swiftshader enable-unsafe-swiftshader no-sandbox "
        "hide-scrollbars disable-dev-shm-usage window-size=1280,1000"
    ).split():
        options.add_argument(f"--{word}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


def colours(browser):
    """Picture of the page as an array, and how many colours it has."""
    picture = numpy.array(Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB"))
    return picture, len(numpy.unique(picture.reshape(-1, 3), axis=0))
