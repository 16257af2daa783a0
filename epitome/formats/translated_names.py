"""Names of columns in German, Chinese and Arabic: our field -> the words, lower case without punctuation."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence

TRANSLATED_NAMES: Mapping[str, str] = {
    "id": "kennung artikelid artikelnummer artikelnr dokumentid dokumentnummer dokumentnr quellenid "
    "textnummer textnr "
    "编号 編號 标识 标识符 識別碼 文章编号 文档编号 文本编号 原文编号 "
    "المعرف معرف رمز الرمز معرفالمقال معرفالنص معرفالوثيقة رقمالمقال رقمالنص رقمالوثيقة",
    "weak_id": "nummer lfdnr laufendenummer 序号 序號 行号 行號 الرقم رقم الرقمالتسلسلي م",
    "text": "artikel artikeltext volltext haupttext fließtext fliesstext inhalt originaltext "
    "ausgangstext dokument beitrag "
    "nachricht gespräch gespraech transkript protokoll bericht absatz eingabe beschreibung rezension meldung "
    "正文 文本 文章 原文 全文 内容 內容 文档 文檔 文章内容 新闻 新闻内容 新聞 对话 對話 会议记录 "
    "會議記錄 段落 输入 "
    "النص نص المقال المقالة مقال مقالة المحتوى محتوى المتن متن نصالمقال الوثيقة المستند الحوار "
    "المحادثة الخبر نصالخبر "
    "التقرير الفقرة",
    "title": "titel überschrift ueberschrift schlagzeile betreff artikeltitel 标题 標題 题目 題目 "
    "题名 新闻标题 新聞標題 "
    "文章标题 العنوان عنوان عنوانالمقال عنوانالخبر",
    "summary": "zusammenfassung zusammenfassungen kurzfassung kurzzusammenfassung referenz referenzen "
    "referenzzusammenfassung inhaltsangabe kernaussage kernaussagen vorspann abriss "
    "摘要 总结 總結 概要 参考摘要 參考摘要 人工摘要 文章摘要 小结 综述 "
    "الملخص ملخص الملخصات ملخصات التلخيص تلخيص الخلاصة خلاصة الموجز موجز الملخصالمرجعي",
    "summary_title": "titelderzusammenfassung 摘要标题 摘要標題 عنوانالملخص",
    "split": "aufteilung teilmenge datenteil 划分 劃分 数据集划分 子集 التقسيم تقسيم",
    "licence": "lizenz nutzungsrechte 许可 许可证 許可證 授权 授權 الترخيص ترخيص الرخصة رخصة",
    "segments": "sätze saetze äußerungen redebeiträge wortbeiträge beiträge 句子 话轮 話輪 发言内容 "
    "الجمل الجملات المقاطع",
    "speakers": "sprecher sprecherin sprechende redner rednerin 发言人 發言人 说话人 說話人 发言者 讲话人 "
    "المتحدث متحدث المتكلم متكلم المتحدثون",
    "person": "bearbeiter bearbeiterin annotatorin annotierende verfasserderzusammenfassung bewerter "
    "标注者 标注员 標註者 標註員 标注人 撰写人 المعلق الموسم واسم كاتبالملخص المقيم",
    "system": "modell modellname systemname 模型 模型名称 系统 系統 النموذج نموذج النظام",
    "output": "vorhersage vorhersagen systemausgabe modellausgabe generiertezusammenfassung 预测 "
    "預測 模型输出 系统输出 "
    "生成摘要 生成的摘要 机器摘要 模型摘要 التنبؤ التنبؤات مخرجاتالنموذج الملخصالمولد",
    "topic": "thema themen 主题 主題 话题 話題 الموضوع موضوع المواضيع",
    "length": "länge laenge 长度 長度 الطول طول",
    "speaker": "sprecher sprecherin 发言人 發言人 说话人 المتحدث متحدث",
}  # fmt: skip
"""One table for all. weak_id: an id only where no value repeats; person: who wrote; system, output: which system, and
its text; topic, length, speaker: attributes of those keys."""


def list_names(field: str) -> tuple[str, ...]:
    """The words for a field, folded, in the order of the table."""
    return tuple(dict.fromkeys(map(fold_word, TRANSLATED_NAMES.get(field, "").split())))


def add_names(names: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """{field: names} with the words of the table behind the names of each field."""
    return {
        field: (*known, *(name for name in list_names(field) if name not in known)) for field, known in names.items()
    }


def fold_word(name: str) -> str:
    """A name without case, punctuation and marks over Arabic letters, in the usual form of each letter."""
    text = unicodedata.normalize("NFKC", name).lower().replace("ـ", "")
    return "".join(char for char in text if char.isalnum()).translate(_ARABIC)


_ARABIC = str.maketrans("أإآٱىة", "اااايه")
"""Spellings of one letter that people interchange."""
