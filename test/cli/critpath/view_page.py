"""What a page of critpath view holds: its scripts by id, and the numbers that are packed in them."""
import base64
import re


def script(text, name):
    return re.search(rf'<script[^>]* id="{name}">(.*?)</script>', text, re.DOTALL)[1]


def numbers(data):
    value = scale = 0
    for byte in base64.b64decode(data):
        value |= (byte & 127) << scale
        scale += 7
        if byte < 128:
            yield value
            value = scale = 0
