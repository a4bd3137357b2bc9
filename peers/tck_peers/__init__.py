"""Drivers of engines that other people publish: each plays the kit's courses on one of them, as its user would.

None of their code is here. A driver leans on what its engine documents, says which other seams it leans on, and looks
whether they are there before it lets anything be said of the engine. Specification: §30.6, §30.7.
"""
