"""Forms of staff: text in, typed values out. Rules live in the services."""

from django import forms


class AffectedFilter(forms.Form):
    annotator = forms.IntegerField(required=False, min_value=1)
    version = forms.IntegerField(required=False, min_value=1, max_value=10**6)
