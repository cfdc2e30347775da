"""Names for venues: patterns, and words that each name one venue."""

from __future__ import annotations

import numpy as np

PATTERNS: dict[str, tuple[str, ...]] = {
    "restaurant": ("Chez {}", "Osteria {}", "The {} Table", "Maison {}", "{} & Daughters", "{}"),
    "café": ("Café {}", "{} Coffee Rooms", "The {} Cup", "Kaffebar {}"),
    "bar": ("Bar {}", "The {}", "The {}", "{} Cellar"),
    "bookshop": ("{} Books", "Librairie {}", "The {} Shelf"),
    "bakery": ("Boulangerie {}", "{} Bakehouse", "{} Bread & Buns"),
    "museum": ("Museum of {}", "Valmare House of {}"),
    "gallery": ("Galerie {}", "{} Gallery"),
    "theatre": ("Théâtre {}", "{} Playhouse"),
}

#: As many words as there are venues of each category.
WORDS: dict[str, tuple[str, ...]] = {
    category: tuple(word.strip() for word in words.split(","))
    for category, words in {
        "restaurant": """
            Mirabelle, Orsolya, Tamarind, Bérangère, Quillon, Sørine, Almarosa, Pomponette, Halvard,
            Zélie, Crispin, Verdigris, Ysolde, Amandine, Bartolo, Castellane, Dragoş, Eglantine,
            Fiorenza, Gwenaël, Hyacinthe, Ilaria, Jorunn, Kasimir, Léontine, Marzipane, Nerissa,
            Odalys, Pancrace, Quenelle, Rosalba, Séraphine, Tiburce, Ursoline, Vespera, Wilhelmine,
            Xanthe, Yolaine, Zinnia, Anselm, Brunhilde, Clotaire, Désirée, Emeric, Faustine,
            Ghislain, Honorine, Isaure, Jacinthe, Klementyna, Ludivine, Melchior, Nolwenn, Ottoline,
            Philibert, Radegund, Sidonie, Théodule, Umbrella Pine, Violante, Winsome, Zephyrine
        """,
        "café": """
            Lindenblüte, Petit Phare, Marmalade, Nutmeg, Old Ferry, Saudade Nova, Tuesday,
            Wintergarten, Blue Tram, Étoile du Port, Half Past Ten, Chicory, Teaspoon, Vanilla Quay,
            Second Breakfast, Paper Crane, Morgenröte, Little Thaw, Demitasse, Cardamom, Umber,
            Snowdrop, Fig & Fern, Paragraph, Slow Pigeon, Tilleul, Windfall, Sixpence, Bellflower,
            Mocha Lane, Rainy Day, Kingfisher, Petite Averse, Cinder, Sugarloaf, Long Afternoon,
            Postmark, Noisette, Quiet Corner, Hollyhock
        """,
        "bar": """
            Copper Heron, Drowsy Lynx, Gilded Snail, Last Lantern, Ninth Anchor, Ölberg,
            Paper Moonfish, Salt Sparrow, Velvet Mole, Crooked Mast, Amber Eel, Brass Cormorant,
            Cold Harbour, Dancing Otter, Empty Barrel, Fiddler's Knot, Green Lamp, Hollow Oak,
            Iron Gull, Jolly Weir, Knotted Rope, Low Tide, Midnight Oar, North Pier, Old Compass,
            Perroquet Noir, Quarterdeck, Red Buoy, Silver Pike, Tin Whistle
        """,
        "bookshop": """
            Quillfeather, Dog-Ear Alley, Vieux Quai, Moth & Vellum, Inkwell Lane, Tolvaj,
            Half-Title, Büchergasse, Colophon Court, Second Chapter, Attic Window, Papier Bleu,
            Folio Mews, Silent Reader, Endpaper, Candle & Crow, Lost Comma, Page Ninety,
            Octavo Yard, Plume d'Oie, Errata, Lectern, Thistle Row, Unopened Letter
        """,
        "bakery": """
            Fournil d'Or, Rye Street, Brindle, Pâquerette, Mill Lane, Hazel, Knead Hill, Crumb Yard,
            Épi Doré, Poppyseed, Stone Oven, Early Lark, Honeycrust, Three Sacks, Levain Bleu,
            Buckwheat, Sesame Gate, Warm Brick, Oatfield, Canal Corner
        """,
        "museum": """
            Tides, Lost Maps, Clockwork, Salt, Paper Theatres, River Trades, Lighthouses, Weaving,
            Small Bridges, Bells, Forgotten Games, Glass, Umbrellas, Ferrymen, Weather, Typography
        """,
        "gallery": """
            Ondine, Marchetaux, Pier Four, Lumen Nord, Åkerfelt, Third Floor, Cobalt Yard, Rouvière,
            White Shed, Passage Vert, Kiln Street, Bellerose, Grey Room, Szilvia Varga, Plinth,
            Harbourlight
        """,
        "theatre": """
            des Marées, Ropewalk, Petite Ourse, Corn Hall, Nightjar, du Vieux Pont, Magic Lantern,
            Sailmakers', des Lucioles, Arsenal Square, Paper Mask, du Crépuscule
        """,
    }.items()
}


def draw_names(rng: np.random.Generator, category: str) -> list[str]:
    """Draw the names of all venues of a category; "des Marées" takes the first pattern."""
    return [_name(rng, PATTERNS[category], word) for word in WORDS[category]]


def _name(rng: np.random.Generator, patterns: tuple[str, ...], word: str) -> str:
    pattern = patterns[0] if word[0].islower() else patterns[rng.integers(len(patterns))]
    return pattern.format(word)
