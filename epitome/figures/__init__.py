"""Tables and figures as data: HTML comes from templates; CSV, LaTeX and SVG from here. No web code."""
