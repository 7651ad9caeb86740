"""Content from files to typed objects: loading, validation, index, Markdown."""

from quizapp.catalogue.assembly import Topic
from quizapp.catalogue.catalogue import Catalogue
from quizapp.catalogue.items import Item, ItemSet, Kind, item_from_json

__all__ = ["Catalogue", "Item", "ItemSet", "Kind", "Topic", "item_from_json"]
