"""Forms: text in, typed values out. Rules live in the services; a form only words what cannot be read at all."""

from typing import Any

from django import forms


class Styled(forms.BaseForm):
    """Our look on Django's widgets; faults are tied to their field for screen readers by Django itself."""

    template_name = "forms/_fields.html"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        for field in self.fields.values():
            widget = field.widget
            if not isinstance(widget, forms.CheckboxInput | forms.RadioSelect | forms.CheckboxSelectMultiple):
                widget.attrs["class"] = f"{widget.attrs.get('class', '')} field".strip()
