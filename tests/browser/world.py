"""Small projects for the browser tests: one news text, one meeting, one text from right to left."""

from django.contrib.auth.models import User

from annotation.models import Candidate, Membership, Project, Role, Sample, SourceDocument
from tests.tasks.factories import make_project, pass_gate

NEWS = [
    "The last boat from Calder Point to the island of Marrow will once again leave at 11:40 at night.",
    "The regional council voted 14 to 9 on Tuesday to pay for the crossing until at least April next year.",
    "Posters with a 🚢 and the words “open until the boat” 👩‍👩‍👧 hang in every window of the harbour street.",
    "The night sailing was withdrawn in October 2023, when the ageing diesel vessel failed three inspections.",
    "Fares will rise from 4 to 5 crowns for visitors, while islanders keep the present price with a card.",
    "Bird wardens on the north shore worry that lights from a late boat will disturb storm petrels.",
    "Wardens will count the birds each month and publish what they find.",
    "“I will miss the bread,” the nurse said.",
]
NEWS_TOPICS = [
    "night sailing",
    "fares",
    "review",
    "storm petrels",
    "bird wardens",
    "passengers",
    "islanders",
    "harbour street",
    "regional council",
    "diesel vessel",
    "inspections",
    "crossing",
    "visitors",
    "resident card",
    "posters",
    "north shore",
    "late boat",
    "last boat",
    "nurse",
    "bread",
]
MEETING = [
    ("Amara Okafor", "Right, let's start. The aim today is to fix the parts list for the school weather kit."),
    ("Tomasz Wilk", "I brought the second prototype. It has the rain gauge and the small solar panel on the lid."),
    ("Priya Nair", "Before we look at parts, can I report from the pilot schools? Five kept it running all month."),
    ("Amara Okafor", "What happened with the sixth?"),
    ("Priya Nair", "The caretaker thought it was a bird feeder 🐦 and took it down. So, please, a label on the mast."),
    ("Leila Haddad", "محطة طقس مدرسية، الرجاء عدم تحريكها."),
    ("Leila Haddad", "That is all the label needs: school weather station, please do not move it."),
    ("Amara Okafor", "Good, agreed. Tomasz, batteries. That was the sore point last time."),
    ("Tomasz Wilk", "Four cells lasted nineteen days in the cold. I want to move to a single lithium iron cell."),
    ("Delphine Roux", "And what does it do to the price?"),
    ("Tomasz Wilk", "It adds three euros twenty per kit, if we order five hundred."),
    ("Jonas Berg", "Could we drop the solar panel? With seventy-one days we hardly need it."),
]
ARABIC = [
    "تغادر العبّارة الليلية من كالدر بوينت إلى جزيرة مارو عند الساعة 11:40.",
    "صوّت المجلس الإقليمي بأغلبية 14 مقابل 9 لتمويل الرحلة حتى أبريل.",
    "سترتفع الأسعار من 4 إلى 5 كرونات للزوار 🚢.",
]


def document_segments(texts: list[str]) -> list[dict[str, str]]:
    return [{"speaker": "", "text": text} for text in texts]


def dialogue_segments(turns: list[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"speaker": speaker, "text": text} for speaker, text in turns]


def make_annotator(project: Project, name: str = "annotator1") -> User:
    user, _result = User.objects.get_or_create(username=name)
    Membership.objects.get_or_create(user=user, project=project, role=Role.ANNOTATOR)
    pass_gate(project, user)
    return user


def news(**options) -> Project:
    """One news text with one group of two samples (short and normal), topics to choose."""
    project = make_project(
        "harbour-news",
        **{"documents": 1, "groups": 1, "segments": document_segments(NEWS), "asks": ("topic",), **options},
    )
    title(project, "Night ferry returns to Marrow Sound after two dark winters")
    topics(project, NEWS_TOPICS)
    return project


def meeting(**options) -> Project:
    """One meeting with one group of two samples, topics and speakers to choose."""
    project = make_project(
        "school-kit",
        **{
            "documents": 1,
            "groups": 1,
            "segments": dialogue_segments(MEETING),
            "asks": ("topic", "speaker"),
            "preset": "macsum-dial",
            **options,
        },
    )
    title(project, "School weather kit: design review")
    Candidate.objects.filter(document__project=project, kind="speaker").delete()  # as the segments tell
    topics(project, ["solar panel", "lithium iron cell", "label", "pilot schools", "price"])
    return project


def title(project: Project, text: str) -> None:
    SourceDocument.objects.filter(project=project).update(title=text)


def topics(project: Project, texts: list[str]) -> None:
    """Candidates with numbers of mentions that fit the list's order."""
    for document in SourceDocument.objects.filter(project=project):
        document.candidates.filter(kind="topic").delete()
        Candidate.objects.bulk_create(
            Candidate(document=document, kind="topic", text=text, rank=n, mentions=1 + n % 3, extractor="test")
            for n, text in enumerate(texts, 1)
        )


def length_of(project: Project, position: int, value: str) -> None:
    """Ask for a length, so that a test knows the band."""
    sample = Sample.objects.get(project=project, position=position)
    Sample.objects.filter(pk=sample.pk).update(values={**sample.values, "length": value})
