"""Every call of the API as a method. Written by `make client`; do not edit."""

from collections.abc import Iterator
from typing import Any, Literal

from epitome.client.caller import UNSET, Caller, Unset
from epitome.client.downloads import Download
from epitome.client.nothing import Nothing
from epitome.client.uploads import FileLike

from . import shapes


class Calls(Caller):
    """Every call of the API, named as in the OpenAPI document (`/api/schema/`)."""

    def affected_again(
        self,
        slug: str,
        /,
        *,
        action: Literal["return", "reopen"],
        assignments: list[str],
        dry_run: bool | Unset = UNSET,
    ) -> shapes.BatchOut:
        """Have them done again.

        With dry_run nothing is stored. No text is lost either way.
            action: return: its writer revises it; reopen: void, the place open again

        POST projects/{slug}/guideline/affected/
        """
        return self._call_json(
            "POST",
            "projects/{slug}/guideline/affected/",
            path_values={"slug": slug},
            json={"action": action, "assignments": assignments, "dry_run": dry_run},
        )

    def affected_list(self, slug: str, /, *, page_size: int | Unset = UNSET) -> Iterator[shapes.AffectedOut]:
        """List what was written under older rules.

        Summaries written under older rules.
            page_size: 50 where not given, at most 200

        GET projects/{slug}/guideline/affected/
        """
        return self._call_pages(
            "GET", "projects/{slug}/guideline/affected/", path_values={"slug": slug}, query={"page_size": page_size}
        )

    def aggregation_report_read(self, slug: str, /, *, release: str | Unset = UNSET) -> shapes.FunnelOut:
        """Read which answers count.

        `release`: only the annotations in that release; without it all that count now.
            release: a tag that is frozen already

        GET projects/{slug}/aggregation-report/
        """
        return self._call_json(
            "GET", "projects/{slug}/aggregation-report/", path_values={"slug": slug}, query={"release": release}
        )

    def annotation_inspections_add(
        self,
        public_id: str,
        /,
        *,
        verdicts: dict[str, shapes.PartIn],
        comments: list[shapes.OnTextIn] | Unset = UNSET,
        comment: str | Unset = UNSET,
    ) -> shapes.InspectionOut:
        """Give a verdict.

        The first verdict accepts, returns or rejects; the strictest part decides. What is not accepted says
        why.
            verdicts: one for every part that the annotation names

        POST annotations/{public_id}/inspections/
        """
        return self._call_json(
            "POST",
            "annotations/{public_id}/inspections/",
            path_values={"public_id": public_id},
            json={"verdicts": verdicts, "comments": comments, "comment": comment},
        )

    def annotation_inspections_read(self, public_id: str, /) -> shapes.AnnotationInspections:
        """Read an inspection.

        The inspection of one annotation.

        GET annotations/{public_id}/inspections/
        """
        return self._call_json("GET", "annotations/{public_id}/inspections/", path_values={"public_id": public_id})

    def annotations_list(
        self,
        slug: str,
        /,
        *,
        page_size: int | Unset = UNSET,
        person: str | Unset = UNSET,
        q: str | Unset = UNSET,
        revisions: Literal["all", "latest"] | Unset = UNSET,
        source: str | Unset = UNSET,
        state: Literal["accepted", "imported", "rejected", "returned", "submitted", "surplus", "void"] | Unset = UNSET,
    ) -> Iterator[shapes.AnnotationOut]:
        """List annotations.

        The annotations of a project.
            page_size: 50 where not given, at most 200
            person: contained in the writer's user name; for who sees names
            q: contained in the external id or the title of the source, in any case
            revisions: latest where not given
            source: external id of the source

        GET projects/{slug}/annotations/
        """
        return self._call_pages(
            "GET",
            "projects/{slug}/annotations/",
            path_values={"slug": slug},
            query={
                "page_size": page_size,
                "person": person,
                "q": q,
                "revisions": revisions,
                "source": source,
                "state": state,
            },
        )

    def annotations_read(self, public_id: str, /) -> shapes.AnnotationOut:
        """Read an annotation.

        One annotation.

        GET annotations/{public_id}/
        """
        return self._call_json("GET", "annotations/{public_id}/", path_values={"public_id": public_id})

    def annotations_scores(self, public_id: str, /) -> shapes.ScoresOut:
        """Scores of an annotation.

        For staff: the scores of the current signatures, else the newest there are; empty until they are
        made.

        GET annotations/{public_id}/scores/
        """
        return self._call_json("GET", "annotations/{public_id}/scores/", path_values={"public_id": public_id})

    def assignment_ask(self, public_id: str, /, *, text: str) -> shapes.QuestionOut:
        """Ask the team about a task.

        The task waits, with a lease of seven days; another one can be claimed meanwhile.

        POST assignments/{public_id}/questions/
        """
        return self._call_json(
            "POST", "assignments/{public_id}/questions/", path_values={"public_id": public_id}, json={"text": text}
        )

    def assignment_notes(self, public_id: str, /) -> shapes.TaskNotesOut:
        """List the notes on one's task.

        The notes on one's own task.

        GET assignments/{public_id}/notes/
        """
        return self._call_json("GET", "assignments/{public_id}/notes/", path_values={"public_id": public_id})

    def assignment_questions(self, public_id: str, /) -> list[shapes.QuestionOut]:
        """List one's questions on a task.

        What was asked about one's own task.

        GET assignments/{public_id}/questions/
        """
        return self._call_json("GET", "assignments/{public_id}/questions/", path_values={"public_id": public_id})

    def assignment_write_note(self, public_id: str, /, *, text: str) -> shapes.OwnNoteOut:
        """Leave a note on one's task.

        For staff; at any time, also once the task is submitted. The same text twice is one note.

        POST assignments/{public_id}/notes/
        """
        return self._call_json(
            "POST", "assignments/{public_id}/notes/", path_values={"public_id": public_id}, json={"text": text}
        )

    def assignments_choose(
        self, public_id: str, /, *, chosen: dict[str, list[dict[str, Any]]], shown: dict[str, list[str]] | Unset = UNSET
    ) -> shapes.TaskOut:
        """assignments_choose.

        Freeze topics and speakers of the group; the rest of the request is revealed in the answer.
            chosen: Attribute key -> what was chosen. candidate: the candidate it was made from, null for
                one's own.
            shown: attribute key -> candidates in the order the page showed them

        POST assignments/{public_id}/choose/
        """
        return self._call_json(
            "POST",
            "assignments/{public_id}/choose/",
            path_values={"public_id": public_id},
            json={"chosen": chosen, "shown": shown},
        )

    def assignments_claim(self, slug: str, /) -> shapes.TaskOut | Nothing:
        """assignments_claim.

        The caller's live task (200), or the next one (201), or 204 with X-Reason. 403 (code gate) while the
        guideline in force is not confirmed, or (code in_practice) the practice is not passed. Annotators
        only.

        POST projects/{slug}/assignments/claim/
        """
        return self._call_maybe(
            "POST", "projects/{slug}/assignments/claim/", path_values={"slug": slug}, repeatable=True
        )

    def assignments_draft(
        self,
        public_id: str,
        /,
        *,
        revision: int,
        payload: dict[str, Any],
        step: Literal["choose", "write", "mark", "review"] | Unset = UNSET,
        authorship: dict[str, Any] | Unset = UNSET,
    ) -> shapes.DraftOut:
        """assignments_draft.

        Save the text in progress on top of a revision; 409 (code stale) shows both texts.
            step: where the writer is: active time by step
            authorship: Counts of one opened page so far; kept with consent only. The same or older counts
                change nothing. No keystrokes, no texts.

        PUT assignments/{public_id}/draft/
        """
        return self._call_json(
            "PUT",
            "assignments/{public_id}/draft/",
            path_values={"public_id": public_id},
            json={"revision": revision, "payload": payload, "step": step, "authorship": authorship},
        )

    def assignments_heartbeat(
        self,
        public_id: str,
        /,
        *,
        step: Literal["choose", "write", "mark", "review"] | Unset = UNSET,
        active: bool | Unset = UNSET,
    ) -> shapes.HeartbeatOut:
        """assignments_heartbeat.
            step: where the writer is: active time by step
            active: false: somebody comes back or goes away; the time before is not counted

        POST assignments/{public_id}/heartbeat/
        """
        return self._call_json(
            "POST",
            "assignments/{public_id}/heartbeat/",
            path_values={"public_id": public_id},
            json={"step": step, "active": active},
        )

    def assignments_meter(self, job: str, public_id: str, /) -> shapes.MetersOut:
        """Read what was measured of a draft.

        The answer to a call of Meters.

        GET assignments/{public_id}/meters/{job}/
        """
        return self._call_json(
            "GET", "assignments/{public_id}/meters/{job}/", path_values={"job": job, "public_id": public_id}
        )

    def assignments_meters(self, public_id: str, /, *, summary: str, revision: int) -> shapes.MetersStarted:
        """Measure a draft.

        Only where all meters are shown. A worker answers; a text that still waits is replaced by this one.
            revision: the caller's own count of its texts, returned with the values

        POST assignments/{public_id}/meters/
        """
        return self._call_json(
            "POST",
            "assignments/{public_id}/meters/",
            path_values={"public_id": public_id},
            json={"summary": summary, "revision": revision},
        )

    def assignments_read(self, public_id: str, /) -> shapes.TaskOut:
        """assignments_read.

        One of the caller's own tasks.

        GET assignments/{public_id}/
        """
        return self._call_json("GET", "assignments/{public_id}/", path_values={"public_id": public_id})

    def assignments_release(self, public_id: str, /, *, whole: bool | Unset = UNSET) -> shapes.ReleaseOut:
        """assignments_release.
            whole: give back all that was claimed together

        POST assignments/{public_id}/release/
        """
        return self._call_json(
            "POST", "assignments/{public_id}/release/", path_values={"public_id": public_id}, json={"whole": whole}
        )

    def assignments_skip(
        self,
        public_id: str,
        /,
        *,
        reason: Literal["contradiction", "nothing_fits", "damaged", "other"],
        note: str | Unset = UNSET,
    ) -> shapes.SkipOut:
        """assignments_skip.

        POST assignments/{public_id}/skip/
        """
        return self._call_json(
            "POST",
            "assignments/{public_id}/skip/",
            path_values={"public_id": public_id},
            json={"reason": reason, "note": note},
        )

    def assignments_submit(
        self,
        public_id: str,
        /,
        *,
        payload: dict[str, Any],
        idempotency_key: str = "",
        authorship: dict[str, Any] | Unset = UNSET,
        next: Literal["task"] | Unset = UNSET,
    ) -> shapes.SubmitOut:
        """assignments_submit.

        Store the summary for good. With `next` the next task comes with the answer, as a claim gives it:
        one call per task. What was submitted is stored even if there is no next task.
            idempotency_key: 1 to 100 visible ASCII characters, new for every submit; the same key and body
                get the same answer
            authorship: Counts of one opened page so far; kept with consent only. The same or older counts
                change nothing. No keystrokes, no texts.
            next: task: claim the next task too, and answer with it

        POST assignments/{public_id}/submit/
        """
        return self._call_json(
            "POST",
            "assignments/{public_id}/submit/",
            path_values={"public_id": public_id},
            headers={"Idempotency-Key": idempotency_key},
            json={"payload": payload, "authorship": authorship, "next": next},
        )

    def candidates_extract(self, slug: str, /) -> shapes.JobStarted:
        """Extract candidates.

        Topics and speakers of every usable source; sources that have them are passed over.

        POST projects/{slug}/candidates/
        """
        return self._call_json("POST", "projects/{slug}/candidates/", path_values={"slug": slug})

    def consent_list(self, slug: str, /, *, page_size: int | Unset = UNSET) -> Iterator[shapes.ConsentOut]:
        """List versions of the consent page.

        The consent page of people who come by a crowd link.
            page_size: 50 where not given, at most 200

        GET projects/{slug}/consent/
        """
        return self._call_pages(
            "GET", "projects/{slug}/consent/", path_values={"slug": slug}, query={"page_size": page_size}
        )

    def consent_publish(self, slug: str, /, *, purpose: str, text: str) -> shapes.ConsentOut:
        """Publish a consent page.

        Everybody who joined by a crowd link is asked to agree before the next task.
            purpose: what the data are for
            text: Markdown

        POST projects/{slug}/consent/
        """
        return self._call_json(
            "POST", "projects/{slug}/consent/", path_values={"slug": slug}, json={"purpose": purpose, "text": text}
        )

    def construction_read(self, slug: str, /) -> shapes.ConstructionOut:
        """Read the construction.

        Every step, and the tables of sizes and of the validation beside the published ones.

        GET projects/{slug}/construction/
        """
        return self._call_json("GET", "projects/{slug}/construction/", path_values={"slug": slug})

    def construction_start(
        self,
        slug: str,
        /,
        *,
        step: str,
        system: str | Unset = UNSET,
        options: dict[str, Any] | Unset = UNSET,
        seed: int | Unset | None = UNSET,
        dry_run: bool | Unset = UNSET,
    ) -> shapes.EstimateOut | shapes.StepOut:
        """Start a step.

        Starts a step, or resumes one that was stopped or has failed calls. With `dry_run` nothing is asked
        or stored, and the answer is what it would cost (200).
            step: readability, focus, keywords, length, splits, compositional
            system: the key of a system of kind chat-rewrite, for steps that ask one
            options: n, train, dev, test, keyword_share, exact, as the step has them
            seed: 0 if absent; a resumed step keeps its own

        POST projects/{slug}/construction/
        """
        return self._call_json(
            "POST",
            "projects/{slug}/construction/",
            path_values={"slug": slug},
            json={"step": step, "system": system, "options": options, "seed": seed, "dry_run": dry_run},
        )

    def construction_stop(self, slug: str, /, *, step: str) -> shapes.StepOut:
        """Stop a step.

        Calls under way are still answered and stored; 409 when the step has ended.
            step: readability, focus, keywords, length, splits, compositional

        POST projects/{slug}/construction/stop/
        """
        return self._call_json(
            "POST", "projects/{slug}/construction/stop/", path_values={"slug": slug}, json={"step": step}
        )

    def contrastive_report_read(
        self,
        slug: str,
        /,
        *,
        excluded: bool | Unset = UNSET,
        run: list[str] | Unset = UNSET,
        score: Literal["mean", "sum"] | Unset = UNSET,
    ) -> shapes.ContrastiveReportOut:
        """Read dodged and escaped shares of runs.

        Of finished runs over contrastives; `run` is given once for each of up to eight. Empty without a
        run.
            excluded: count excluded contrastives too
            run: id of a run, or the key of its system
            score: of a text's tokens; sum if absent

        GET projects/{slug}/contrastive-report/
        """
        return self._call_json(
            "GET",
            "projects/{slug}/contrastive-report/",
            path_values={"slug": slug},
            query={"excluded": excluded, "run": run, "score": score},
        )

    def contrastive_sets_list(
        self, slug: str, /, *, page_size: int | Unset = UNSET
    ) -> Iterator[shapes.ContrastiveSetOut]:
        """List sets of contrastive examples.

        Newest first, replaced ones included.
            page_size: 50 where not given, at most 200

        GET projects/{slug}/contrastive-sets/
        """
        return self._call_pages(
            "GET", "projects/{slug}/contrastive-sets/", path_values={"slug": slug}, query={"page_size": page_size}
        )

    def contrastives_exclude(self, slug: str, /, *, ids: list[str], excluded: bool) -> shapes.ExclusionsOut:
        """Exclude contrastive examples.

        Excluded examples count in no table and are not scored; with `excluded` false they count again.
            excluded: false: they count again

        POST projects/{slug}/contrastives/exclude/
        """
        return self._call_json(
            "POST",
            "projects/{slug}/contrastives/exclude/",
            path_values={"slug": slug},
            json={"ids": ids, "excluded": excluded},
        )

    def contrastives_import(self, slug: str, /, *, file: FileLike, replace: bool | Unset = UNSET) -> shapes.JobStarted:
        """Import contrastive examples.

        Starts a job that checks the whole file first and stores all of it or nothing.
            file: JSON lines
            replace: delete the project's other examples first

        POST projects/{slug}/contrastives/import/
        """
        return self._call_json(
            "POST",
            "projects/{slug}/contrastives/import/",
            path_values={"slug": slug},
            form={"file": file, "replace": replace},
            files=("file",),
        )

    def contrastives_list(
        self,
        slug: str,
        /,
        *,
        page_size: int | Unset = UNSET,
        rule: Literal["G-A", "G-N", "G-P", "G-V", "S-A", "S-N", "S-P", "S-V"] | Unset = UNSET,
        state: Literal["active", "excluded", "withdrawn"] | Unset = UNSET,
    ) -> Iterator[shapes.ContrastiveOut]:
        """List contrastive examples.

        In the order in which they were made; withdrawn ones have no text.
            page_size: 50 where not given, at most 200

        GET projects/{slug}/contrastives/
        """
        return self._call_pages(
            "GET",
            "projects/{slug}/contrastives/",
            path_values={"slug": slug},
            query={"page_size": page_size, "rule": rule, "state": state},
        )

    def contrastives_make(
        self,
        slug: str,
        /,
        *,
        split: str | Unset = UNSET,
        n: int | Unset = UNSET,
        seed: int | Unset = UNSET,
        per_gold: int | Unset = UNSET,
        rules: list[Literal["G-N", "G-P", "G-V", "G-A", "S-N", "S-P", "S-V", "S-A"]] | Unset = UNSET,
        estimate: int | Unset = UNSET,
        inflect: bool | Unset = UNSET,
        without: list[str] | Unset = UNSET,
        replace: bool | Unset = UNSET,
        dry_run: bool | Unset = UNSET,
    ) -> shapes.PlannedContrastives | shapes.JobStarted:
        """Make contrastive examples.

        Starts a job. The same options again continue an interrupted run or add newer golds. `dry_run` makes
        the examples of 40 gold summaries, and estimates shares from as many at most, and answers with
        counts.
            n: at most so many gold summaries
            per_gold: examples of each
            estimate: work out the shares of the rules from so many gold summaries; 0: the default shares
            without: ids of sources whose gold summaries are left out
            replace: delete the project's other examples first
            dry_run: answer at once what would be made; store nothing

        POST projects/{slug}/contrastives/
        """
        return self._call_json(
            "POST",
            "projects/{slug}/contrastives/",
            path_values={"slug": slug},
            json={
                "split": split,
                "n": n,
                "seed": seed,
                "per_gold": per_gold,
                "rules": rules,
                "estimate": estimate,
                "inflect": inflect,
                "without": without,
                "replace": replace,
                "dry_run": dry_run,
            },
        )

    def crowd_links_close(self, public_id: str, /) -> None:
        """Close a crowd link.

        Nobody new gets in by it; who has begun can finish.

        POST crowd-links/{public_id}/close/
        """
        self._call_nothing("POST", "crowd-links/{public_id}/close/", path_values={"public_id": public_id})

    def crowd_links_list(self, slug: str, /, *, page_size: int | Unset = UNSET) -> Iterator[shapes.CrowdLinkOut]:
        """List crowd links.

        Links for workers of crowd platforms.
            page_size: 50 where not given, at most 200

        GET projects/{slug}/crowd-links/
        """
        return self._call_pages(
            "GET", "projects/{slug}/crowd-links/", path_values={"slug": slug}, query={"page_size": page_size}
        )

    def crowd_links_make(
        self,
        slug: str,
        /,
        *,
        name: str,
        tasks: int,
        max_uses: int | Unset = UNSET,
        days: int | Unset = UNSET,
        id_parameter: str | Unset = UNSET,
        study_parameter: str | Unset = UNSET,
        session_parameter: str | Unset = UNSET,
        study: str | Unset = UNSET,
        signed: bool | Unset = UNSET,
        code: str | Unset = UNSET,
        return_url: str | Unset = UNSET,
        role: Literal["annotator", "rater"] | Unset = UNSET,
        target: str | Unset = UNSET,
        code_screened_out: str | Unset = UNSET,
        code_no_work: str | Unset = UNSET,
        pay_amount: str | Unset | None = UNSET,
        pay_currency: str | Unset = UNSET,
    ) -> shapes.CrowdLinkMade:
        """Make a crowd link.

        Links for workers of crowd platforms.
            name: for the team: what it is for
            tasks: quota of each person
            target: of raters: id of an open round
            pay_amount: for each task

        POST projects/{slug}/crowd-links/
        """
        return self._call_json(
            "POST",
            "projects/{slug}/crowd-links/",
            path_values={"slug": slug},
            json={
                "name": name,
                "max_uses": max_uses,
                "days": days,
                "tasks": tasks,
                "id_parameter": id_parameter,
                "study_parameter": study_parameter,
                "session_parameter": session_parameter,
                "study": study,
                "signed": signed,
                "code": code,
                "return_url": return_url,
                "role": role,
                "target": target,
                "code_screened_out": code_screened_out,
                "code_no_work": code_no_work,
                "pay_amount": pay_amount,
                "pay_currency": pay_currency,
            },
        )

    def crowd_workers_list(self, slug: str, /, *, page_size: int | Unset = UNSET) -> Iterator[shapes.CrowdWorkerOut]:
        """List crowd workers.

        Who joined by a crowd link.
            page_size: 50 where not given, at most 200

        GET projects/{slug}/crowd-workers/
        """
        return self._call_pages(
            "GET", "projects/{slug}/crowd-workers/", path_values={"slug": slug}, query={"page_size": page_size}
        )

    def documents_damage(self, public_id: str, /, *, damaged: bool, reason: str | Unset = UNSET) -> shapes.DocumentOut:
        """Flag a source as damaged or not.

        A damaged source takes all its samples out of the work at once; taking the flag away gives them
        back.

        POST documents/{public_id}/damage/
        """
        return self._call_json(
            "POST",
            "documents/{public_id}/damage/",
            path_values={"public_id": public_id},
            json={"damaged": damaged, "reason": reason},
        )

    def documents_list(
        self,
        slug: str,
        /,
        *,
        damaged: bool | Unset = UNSET,
        order: Literal["-created_at", "-external_id", "-id", "-n_words", "created_at", "external_id", "id", "n_words"]
        | Unset = UNSET,
        page_size: int | Unset = UNSET,
        q: str | Unset = UNSET,
        split: str | Unset = UNSET,
    ) -> Iterator[shapes.DocumentOut]:
        """List sources.

        The sources of a project.
            page_size: 50 where not given, at most 200
            q: contained in the external id or the title, in any case

        GET projects/{slug}/documents/
        """
        return self._call_pages(
            "GET",
            "projects/{slug}/documents/",
            path_values={"slug": slug},
            query={"damaged": damaged, "order": order, "page_size": page_size, "q": q, "split": split},
        )

    def documents_prioritise(self, slug: str, /, *, priorities: dict[str, int]) -> shapes.PrioritiesOut:
        """Set the priority of sources.

        Tasks of sources with a higher number are assigned first. All or nothing: 422 where a source is
        unknown.
            priorities: external id -> whole number; 0 is usual

        POST projects/{slug}/documents/priorities/
        """
        return self._call_json(
            "POST", "projects/{slug}/documents/priorities/", path_values={"slug": slug}, json={"priorities": priorities}
        )

    def documents_read(self, public_id: str, /) -> shapes.DocumentDetailOut:
        """Read a source with its text.

        One source.

        GET documents/{public_id}/
        """
        return self._call_json("GET", "documents/{public_id}/", path_values={"public_id": public_id})

    def draws_list(self, slug: str, /, *, page_size: int | Unset = UNSET) -> Iterator[shapes.DrawOut]:
        """List draws.

        Newest first, undone ones included.
            page_size: 50 where not given, at most 200

        GET projects/{slug}/draws/
        """
        return self._call_pages(
            "GET", "projects/{slug}/draws/", path_values={"slug": slug}, query={"page_size": page_size}
        )

    def draws_undo(self, public_id: str, /) -> shapes.UndoneDrawOut:
        """Undo a draw.

        Deletes its samples. 409 with the reason once one of them is assigned or used by a pilot, run or
        round.

        POST draws/{public_id}/undo/
        """
        return self._call_json("POST", "draws/{public_id}/undo/", path_values={"public_id": public_id})

    def export_stream(
        self,
        slug: str,
        /,
        *,
        authorship: Literal["no", "yes"] | Unset = UNSET,
        format: Literal["jsonl", "macsum"] | Unset = UNSET,
        overlap: Literal["all", "marked"] | Unset = UNSET,
        release: str | Unset = UNSET,
        shares: str | Unset = UNSET,
        split: Literal["keep", "origin"] | Unset = UNSET,
        split_seed: int | Unset = UNSET,
        state: Literal["accepted", "latest"] | Unset = UNSET,
    ) -> Download:
        """Download the dataset as a stream.

        Changes nothing and writes no manifest; Parquet, manifests and new releases come by a job. The
        header X-Release-Withdrawals says that a release differs from its first build because work was
        withdrawn.
            authorship: no where not given; yes: add how summaries came about, as shares, where their
                writers agreed
            format: jsonl where not given
            overlap: all where not given
            release: a tag that is frozen already; the list of rows is the release's
            shares: percent, as 60,20,20; the schema's where not given
            split: keep where not given
            split_seed: draws train, dev, test by origin
            state: latest where not given

        GET projects/{slug}/export/
        """
        return self._call_download(
            "GET",
            "projects/{slug}/export/",
            path_values={"slug": slug},
            query={
                "authorship": authorship,
                "format": format,
                "overlap": overlap,
                "release": release,
                "shares": shares,
                "split": split,
                "split_seed": split_seed,
                "state": state,
            },
        )

    def exports_start(
        self,
        slug: str,
        /,
        *,
        format: Literal["jsonl", "macsum", "parquet"] | Unset = UNSET,
        state: Literal["latest", "accepted"] | Unset = UNSET,
        overlap: Literal["all", "marked"] | Unset = UNSET,
        split: Literal["keep", "origin"] | Unset = UNSET,
        split_seed: int | Unset = UNSET,
        shares: list[int] | Unset = UNSET,
        release: str | Unset = UNSET,
        authorship: bool | Unset = UNSET,
    ) -> shapes.JobStarted:
        """Export by a job.

        The job writes the file and its manifest; both are downloaded from the job when it is done.
            overlap: marked: of a compared sample only the marked summary
            shares: percent of train, dev and test; the schema's where not given
            release: a new tag is frozen by the job
            authorship: add how summaries came about, as shares, where their writers agreed

        POST projects/{slug}/exports/
        """
        return self._call_json(
            "POST",
            "projects/{slug}/exports/",
            path_values={"slug": slug},
            json={
                "format": format,
                "state": state,
                "overlap": overlap,
                "split": split,
                "split_seed": split_seed,
                "shares": shares,
                "release": release,
                "authorship": authorship,
            },
        )

    def gate_confirm(self, slug: str, /, *, version: int, statement_hash: str, consent: bool) -> shapes.GateOut:
        """Confirm the guideline and sign.

        409 (code stale) when a newer version came meanwhile. Twice is as good as once.

        POST projects/{slug}/gate/
        """
        return self._call_json(
            "POST",
            "projects/{slug}/gate/",
            path_values={"slug": slug},
            json={"version": version, "statement_hash": statement_hash, "consent": consent},
        )

    def gate_read(self, slug: str, /) -> shapes.GateOut:
        """See what must be read and signed.

        One's own gate.

        GET projects/{slug}/gate/
        """
        return self._call_json("GET", "projects/{slug}/gate/", path_values={"slug": slug})

    def guideline_change(
        self, slug: str, /, *, text: str, note: str, change: Literal["wording", "rule"] | Unset = UNSET
    ) -> shapes.GuidelineOut:
        """Write the next version of the guideline.

        201 the next version; 200 the newest one where the text is the same.
            change: rule: every annotator confirms it before the next task; wording: nobody waits for that
            note: what changed, in a sentence, for those who know the version before

        POST projects/{slug}/guideline/
        """
        return self._call_json(
            "POST",
            "projects/{slug}/guideline/",
            path_values={"slug": slug},
            json={"text": text, "change": change, "note": note},
        )

    def guideline_read(self, slug: str, /, *, version: int | Unset = UNSET) -> shapes.GuidelineOut:
        """Read the guideline.

        The guideline.
            version: the newest where not given; older ones stay as they are

        GET projects/{slug}/guideline/
        """
        return self._call_json(
            "GET", "projects/{slug}/guideline/", path_values={"slug": slug}, query={"version": version}
        )

    def imports_preview(
        self,
        slug: str,
        /,
        *,
        file: FileLike,
        format: Literal[
            "auto",
            "macsum",
            "qmsum",
            "epitome-1",
            "story",
            "csv",
            "jsonl",
            "json",
            "parquet",
            "arrow",
            "excel",
            "word",
            "text",
            "html",
            "subtitles",
            "cas",
            "zip",
            "label-studio",
            "doccano",
            "argilla",
            "potato",
            "prodigy",
            "mturk",
            "toloka",
        ]
        | Unset = UNSET,
        split: str | Unset = UNSET,
        with_references: bool | Unset = UNSET,
        dry_run: bool | Unset = UNSET,
        partial: bool | Unset = UNSET,
        max_words: int | Unset = UNSET,
        licence: str | Unset = UNSET,
        may_release_text: bool | Unset = UNSET,
        mapping: str | Unset = UNSET,
        list_separator: Literal[";", ","] | Unset = UNSET,
        summary_metadata: str | Unset = UNSET,
        add_summaries: bool | Unset = UNSET,
        answer_states: list[Literal["submitted", "draft", "rejected", "discarded", "skipped", "ignored"]]
        | Unset = UNSET,
        summary_lists: Literal["several", "pieces"] | Unset = UNSET,
        encoding: Literal[
            "utf-8",
            "utf-16",
            "windows-1252",
            "windows-1250",
            "windows-1251",
            "windows-1253",
            "windows-1254",
            "windows-1255",
            "windows-1256",
            "gb18030",
            "big5",
            "shift-jis",
            "euc-kr",
            "mac-roman",
        ]
        | Unset = UNSET,
        text_from: FileLike | Unset = UNSET,
    ) -> shapes.ImportPreviewOut:
        """Look at a file before importing it.

        Reads the first part of the file and stores nothing. Without a mapping, columns are matched by name
        and content, as the answer's `mapping` shows.
            mapping: JSON: our field -> the file's column, {"text": "body"}
            list_separator: of lists in a cell
            summary_metadata: kept with every summary of the file
            add_summaries: also to sources that have summaries of an earlier import
            answer_states: states of answers that become summaries (default: submitted)
            summary_lists: what a list of texts in a cell of summaries is: several, or one in pieces such as
                sentences
            encoding: of text that is not UTF-8 (default: guessed, which `notes` say)
            text_from: texts of rows that have none, by id: JSON lines or CSV

        POST projects/{slug}/imports/preview/
        """
        return self._call_json(
            "POST",
            "projects/{slug}/imports/preview/",
            path_values={"slug": slug},
            form={
                "file": file,
                "format": format,
                "split": split,
                "with_references": with_references,
                "dry_run": dry_run,
                "partial": partial,
                "max_words": max_words,
                "licence": licence,
                "may_release_text": may_release_text,
                "mapping": mapping,
                "list_separator": list_separator,
                "summary_metadata": summary_metadata,
                "add_summaries": add_summaries,
                "answer_states": answer_states,
                "summary_lists": summary_lists,
                "encoding": encoding,
                "text_from": text_from,
            },
            files=("file", "text_from"),
        )

    def imports_start(
        self,
        slug: str,
        /,
        *,
        file: FileLike,
        format: Literal[
            "auto",
            "macsum",
            "qmsum",
            "epitome-1",
            "story",
            "csv",
            "jsonl",
            "json",
            "parquet",
            "arrow",
            "excel",
            "word",
            "text",
            "html",
            "subtitles",
            "cas",
            "zip",
            "label-studio",
            "doccano",
            "argilla",
            "potato",
            "prodigy",
            "mturk",
            "toloka",
        ]
        | Unset = UNSET,
        split: str | Unset = UNSET,
        with_references: bool | Unset = UNSET,
        dry_run: bool | Unset = UNSET,
        partial: bool | Unset = UNSET,
        max_words: int | Unset = UNSET,
        licence: str | Unset = UNSET,
        may_release_text: bool | Unset = UNSET,
        mapping: str | Unset = UNSET,
        list_separator: Literal[";", ","] | Unset = UNSET,
        summary_metadata: str | Unset = UNSET,
        add_summaries: bool | Unset = UNSET,
        answer_states: list[Literal["submitted", "draft", "rejected", "discarded", "skipped", "ignored"]]
        | Unset = UNSET,
        summary_lists: Literal["several", "pieces"] | Unset = UNSET,
        encoding: Literal[
            "utf-8",
            "utf-16",
            "windows-1252",
            "windows-1250",
            "windows-1251",
            "windows-1253",
            "windows-1254",
            "windows-1255",
            "windows-1256",
            "gb18030",
            "big5",
            "shift-jis",
            "euc-kr",
            "mac-roman",
        ]
        | Unset = UNSET,
        text_from: FileLike | Unset = UNSET,
    ) -> shapes.JobStarted:
        """Import a file of sources.

        Starts a job that reads the whole file first and stores all of it or nothing (unless `partial`).
            mapping: JSON: our field -> the file's column, {"text": "body"}
            list_separator: of lists in a cell
            summary_metadata: kept with every summary of the file
            add_summaries: also to sources that have summaries of an earlier import
            answer_states: states of answers that become summaries (default: submitted)
            summary_lists: what a list of texts in a cell of summaries is: several, or one in pieces such as
                sentences
            encoding: of text that is not UTF-8 (default: guessed, which `notes` say)
            text_from: texts of rows that have none, by id: JSON lines or CSV

        POST projects/{slug}/imports/
        """
        return self._call_json(
            "POST",
            "projects/{slug}/imports/",
            path_values={"slug": slug},
            form={
                "file": file,
                "format": format,
                "split": split,
                "with_references": with_references,
                "dry_run": dry_run,
                "partial": partial,
                "max_words": max_words,
                "licence": licence,
                "may_release_text": may_release_text,
                "mapping": mapping,
                "list_separator": list_separator,
                "summary_metadata": summary_metadata,
                "add_summaries": add_summaries,
                "answer_states": answer_states,
                "summary_lists": summary_lists,
                "encoding": encoding,
                "text_from": text_from,
            },
            files=("file", "text_from"),
        )

    def inspections_draw(self, slug: str, /, *, week: str | Unset = UNSET) -> shapes.InspectionDrawn:
        """Draw a week's sample.

        Drawing again adds what was submitted since. Finished weeks are drawn without being asked.
            week: as in 2026-W47; the running one if absent

        POST projects/{slug}/inspections/
        """
        return self._call_json("POST", "projects/{slug}/inspections/", path_values={"slug": slug}, json={"week": week})

    def inspections_list(
        self,
        slug: str,
        /,
        *,
        page_size: int | Unset = UNSET,
        state: Literal["done", "open"] | Unset = UNSET,
        week: str | Unset = UNSET,
    ) -> Iterator[shapes.QueueRowOut]:
        """List what is to be inspected.

        The queue of a project.
            page_size: 50 where not given, at most 200
            week: as in 2026-W47; all weeks where not given

        GET projects/{slug}/inspections/
        """
        return self._call_pages(
            "GET",
            "projects/{slug}/inspections/",
            path_values={"slug": slug},
            query={"page_size": page_size, "state": state, "week": week},
        )

    def invitations_list(self, slug: str, /, *, page_size: int | Unset = UNSET) -> Iterator[shapes.InvitationOut]:
        """List invitations.

        Links that give roles.
            page_size: 50 where not given, at most 200

        GET projects/{slug}/invitations/
        """
        return self._call_pages(
            "GET", "projects/{slug}/invitations/", path_values={"slug": slug}, query={"page_size": page_size}
        )

    def invitations_make(
        self,
        slug: str,
        /,
        *,
        name: str,
        roles: list[Literal["annotator", "rater", "reviewer", "researcher", "admin"]],
        max_uses: int | Unset = UNSET,
        days: int | Unset = UNSET,
    ) -> shapes.InvitationMade:
        """Make a link.

        Links that give roles.
            name: for the team: what it is for

        POST projects/{slug}/invitations/
        """
        return self._call_json(
            "POST",
            "projects/{slug}/invitations/",
            path_values={"slug": slug},
            json={"name": name, "max_uses": max_uses, "days": days, "roles": roles},
        )

    def invitations_revoke(self, public_id: str, /) -> None:
        """Close an invitation.

        Nobody gets in by it any more; who is in stays in.

        POST invitations/{public_id}/revoke/
        """
        self._call_nothing("POST", "invitations/{public_id}/revoke/", path_values={"public_id": public_id})

    def item_judge(
        self,
        public_id: str,
        /,
        *,
        payload: shapes.PayloadIn,
        revision: int | Unset | None = UNSET,
        done: bool | Unset = UNSET,
        next: Literal["page", "item"] | Literal[""] | Unset = UNSET,
    ) -> shapes.JudgedOut:
        """Answer an item's questions.

        Stores what is given; the same again changes nothing. With `done` the item is finished, and with
        `next` the answer carries the next one. 409: code stale with both versions, or closed.
            done: the item is finished; every question must be answered
            next: what the answer carries of the next item, which is claimed: its page, or all of it

        POST items/{public_id}/judgements/
        """
        return self._call_json(
            "POST",
            "items/{public_id}/judgements/",
            path_values={"public_id": public_id},
            json={"payload": payload, "revision": revision, "done": done, "next": next},
        )

    def item_read(self, public_id: str, /) -> shapes.ItemOut:
        """Read one's own item.

        GET items/{public_id}/
        """
        return self._call_json("GET", "items/{public_id}/", path_values={"public_id": public_id})

    def item_release(self, public_id: str, /) -> None:
        """Give an item back.

        The answers given so far stay.

        POST items/{public_id}/release/
        """
        self._call_nothing("POST", "items/{public_id}/release/", path_values={"public_id": public_id})

    def item_seen(self, public_id: str, /) -> shapes.SavedOut:
        """Keep an item, and count the time.

        POST items/{public_id}/seen/
        """
        return self._call_json("POST", "items/{public_id}/seen/", path_values={"public_id": public_id})

    def items_claim(self, public_id: str, /) -> shapes.ItemOut | Nothing:
        """Claim the next item.

        The item the caller holds (200), or the next one (201), or 204 with X-Reason.

        POST rounds/{public_id}/items/claim/
        """
        return self._call_maybe(
            "POST", "rounds/{public_id}/items/claim/", path_values={"public_id": public_id}, repeatable=True
        )

    def jobs_cancel(self, public_id: str, /) -> shapes.JobDetailOut:
        """Cancel a job.

        With it what it works on, such as a run; 409 when it has ended, or is of a kind that cannot be
        cancelled.

        POST jobs/{public_id}/cancel/
        """
        return self._call_json("POST", "jobs/{public_id}/cancel/", path_values={"public_id": public_id})

    def jobs_download(self, public_id: str, /, *, part: Literal["file", "manifest"] | Unset = UNSET) -> Download:
        """Download the file of an export.

        What a finished export wrote.

        GET jobs/{public_id}/download/
        """
        return self._call_download(
            "GET", "jobs/{public_id}/download/", path_values={"public_id": public_id}, query={"part": part}
        )

    def jobs_list(
        self,
        slug: str,
        /,
        *,
        kind: str | Unset = UNSET,
        page_size: int | Unset = UNSET,
        q: str | Unset = UNSET,
        state: Literal["cancelled", "dead", "done", "failed", "queued", "running"] | Unset = UNSET,
    ) -> Iterator[shapes.JobOut]:
        """Jobs of a project.

        The jobs of a project.
            page_size: 50 where not given, at most 200
            q: contained in the file name or the user name of who asked, in any case

        GET projects/{slug}/jobs/
        """
        return self._call_pages(
            "GET",
            "projects/{slug}/jobs/",
            path_values={"slug": slug},
            query={"kind": kind, "page_size": page_size, "q": q, "state": state},
        )

    def jobs_read(self, public_id: str, /) -> shapes.JobDetailOut:
        """Read a job.

        An import reports `read = stored + duplicate + left_out + rejected` in its result.

        GET jobs/{public_id}/
        """
        return self._call_json("GET", "jobs/{public_id}/", path_values={"public_id": public_id})

    def judge_check_draw(
        self,
        slug: str,
        /,
        *,
        question: str | Unset = UNSET,
        over: str | Unset = UNSET,
        n: int | Unset = UNSET,
        seed: int | Unset = UNSET,
    ) -> shapes.JudgeCheckOut:
        """Draw texts to label.

        As many texts of each requested value; the same question, texts, n and seed are the same check.
            question: a published question
            over: references or run:ID

        POST projects/{slug}/judge-check/
        """
        return self._call_json(
            "POST",
            "projects/{slug}/judge-check/",
            path_values={"slug": slug},
            json={"question": question, "over": over, "n": n, "seed": seed},
        )

    def judge_check_label(self, public_id: str, /, *, number: int, label: str) -> shapes.CheckTextOut:
        """Label a text by hand.

        Answers with the next text; a second label of a text replaces the first.

        POST judge-checks/{public_id}/
        """
        return self._call_json(
            "POST",
            "judge-checks/{public_id}/",
            path_values={"public_id": public_id},
            json={"number": number, "label": label},
        )

    def judge_check_next(self, public_id: str, /) -> shapes.CheckTextOut:
        """Read the next text to label.

        The first text that you have not labelled.

        GET judge-checks/{public_id}/
        """
        return self._call_json("GET", "judge-checks/{public_id}/", path_values={"public_id": public_id})

    def judge_check_read(self, slug: str, /) -> shapes.ValidityOut:
        """Read how often judges are right.

        Of the published question of focus.

        GET projects/{slug}/judge-check/
        """
        return self._call_json("GET", "projects/{slug}/judge-check/", path_values={"slug": slug})

    def members_add(
        self, slug: str, /, *, username: str, role: Literal["annotator", "rater", "reviewer", "researcher", "admin"]
    ) -> shapes.MemberOut:
        """Give a person a role.

        The person must have an account here; having the role already is fine.

        POST projects/{slug}/members/
        """
        return self._call_json(
            "POST", "projects/{slug}/members/", path_values={"slug": slug}, json={"username": username, "role": role}
        )

    def members_bulk(
        self,
        slug: str,
        /,
        *,
        usernames: list[str],
        action: Literal["give", "take", "quota", "pause", "resume", "close", "open", "reset"],
        role: Literal["annotator", "rater", "reviewer", "researcher", "admin"] | Unset = UNSET,
        max_tasks: int | Unset | None = UNSET,
        note: str | Unset = UNSET,
    ) -> shapes.ChangedOut:
        """Act on several members.

        Roles, quotas (max_tasks null: no limit), pause and resume, closing and opening accounts, resetting
        second factors; all of it or nothing. Accounts and second factors are for site admins.
            role: for give and take

        POST projects/{slug}/members/bulk/
        """
        return self._call_json(
            "POST",
            "projects/{slug}/members/bulk/",
            path_values={"slug": slug},
            json={"usernames": usernames, "action": action, "role": role, "max_tasks": max_tasks, "note": note},
        )

    def members_list(
        self,
        slug: str,
        /,
        *,
        page_size: int | Unset = UNSET,
        q: str | Unset = UNSET,
        role: Literal["admin", "annotator", "rater", "researcher", "reviewer"] | Unset = UNSET,
    ) -> Iterator[shapes.MemberOut]:
        """List members.

        Who has which role.
            page_size: 50 where not given, at most 200
            q: contained in the user name or the e-mail address, in any case

        GET projects/{slug}/members/
        """
        return self._call_pages(
            "GET",
            "projects/{slug}/members/",
            path_values={"slug": slug},
            query={"page_size": page_size, "q": q, "role": role},
        )

    def members_pauses(self, slug: str, /) -> shapes.PausesOut:
        """List paused members.

        By staff or by a rule, with the reason, and a preview of whom the rules would pause now.
        `members/bulk/` pauses and resumes.

        GET projects/{slug}/members/pauses/
        """
        return self._call_json("GET", "projects/{slug}/members/pauses/", path_values={"slug": slug})

    def members_remove(
        self, slug: str, /, *, username: str, role: Literal["annotator", "rater", "reviewer", "researcher", "admin"]
    ) -> None:
        """Take a role away.

        Counts on the person's next request. The last admin of a project stays.

        POST projects/{slug}/members/remove/
        """
        self._call_nothing(
            "POST",
            "projects/{slug}/members/remove/",
            path_values={"slug": slug},
            json={"username": username, "role": role},
        )

    def note_change_state(self, public_id: str, /, *, state: Literal["read", "released", "hidden"]) -> shapes.NoteOut:
        """Read, release or hide a note.

        A released note is for the sample's next annotator, a hidden one for nobody but staff.
            state: released: for the sample's next annotator, where the project shows these

        POST notes/{public_id}/state/
        """
        return self._call_json(
            "POST", "notes/{public_id}/state/", path_values={"public_id": public_id}, json={"state": state}
        )

    def notes_list(
        self,
        slug: str,
        /,
        *,
        page_size: int | Unset = UNSET,
        state: Literal["all", "hidden", "new", "read", "released"] | Unset = UNSET,
    ) -> Iterator[shapes.NoteOut]:
        """List notes on tasks.

        All notes of a project.
            page_size: 50 where not given, at most 200
            state: all if absent

        GET projects/{slug}/notes/
        """
        return self._call_pages(
            "GET", "projects/{slug}/notes/", path_values={"slug": slug}, query={"page_size": page_size, "state": state}
        )

    def overlap_extra(self, slug: str, /) -> shapes.JobStarted:
        """Request texts where annotators disagree.

        Starts a job; while one waits or runs, that one. 422 where the project sets no limit of agreement.

        POST projects/{slug}/overlap/extra/
        """
        return self._call_json("POST", "projects/{slug}/overlap/extra/", path_values={"slug": slug})

    def overlap_list(
        self, slug: str, /, *, page_size: int | Unset = UNSET, state: Literal["compared", "waiting"] | Unset = UNSET
    ) -> Iterator[shapes.OverlapOut]:
        """List overlap.

        Samples with several summaries.
            page_size: 50 where not given, at most 200

        GET projects/{slug}/overlap/
        """
        return self._call_pages(
            "GET",
            "projects/{slug}/overlap/",
            path_values={"slug": slug},
            query={"page_size": page_size, "state": state},
        )

    def overlap_mark(
        self,
        public_id: str,
        /,
        *,
        choice: Literal["one", "all"],
        annotation: str | Unset = UNSET,
        note: str | Unset = UNSET,
    ) -> shapes.ComparedOut:
        """Mark what is exported.

        One summary or all of them. 409 (code marked) where another request was first.
            annotation: with choice one: the summary to export

        POST samples/{public_id}/overlap/
        """
        return self._call_json(
            "POST",
            "samples/{public_id}/overlap/",
            path_values={"public_id": public_id},
            json={"choice": choice, "annotation": annotation, "note": note},
        )

    def overlap_read(self, public_id: str, /) -> shapes.ComparedOut:
        """Compare the summaries of a sample.

        The summaries of one sample.

        GET samples/{public_id}/overlap/
        """
        return self._call_json("GET", "samples/{public_id}/overlap/", path_values={"public_id": public_id})

    def overlap_undo(self, public_id: str, /) -> shapes.ComparedOut:
        """Take a mark back.

        The summaries of one sample.

        DELETE samples/{public_id}/overlap/
        """
        return self._call_json("DELETE", "samples/{public_id}/overlap/", path_values={"public_id": public_id})

    def pilot_candidate_decide(
        self, public_id: str, /, *, verdict: Literal["qualified", "rejected"], reason: str
    ) -> shapes.OneCandidateOut:
        """Qualify or reject.

        With a reason, which the candidate reads. 409 (code decided) where another request was first.
            reason: the candidate reads it

        POST pilot-candidates/{public_id}/decision/
        """
        return self._call_json(
            "POST",
            "pilot-candidates/{public_id}/decision/",
            path_values={"public_id": public_id},
            json={"verdict": verdict, "reason": reason},
        )

    def pilot_candidate_read(self, public_id: str, /) -> shapes.OneCandidateOut:
        """Read a candidate.

        One candidate.

        GET pilot-candidates/{public_id}/
        """
        return self._call_json("GET", "pilot-candidates/{public_id}/", path_values={"public_id": public_id})

    def pilot_candidate_reopen(self, public_id: str, /, *, reason: str) -> shapes.OneCandidateOut:
        """Take a decision back.

        With a reason. 409 (code undecided) where nothing is decided.

        POST pilot-candidates/{public_id}/reopening/
        """
        return self._call_json(
            "POST",
            "pilot-candidates/{public_id}/reopening/",
            path_values={"public_id": public_id},
            json={"reason": reason},
        )

    def pilot_candidates_invite(self, slug: str, /, *, usernames: list[str] | Unset = UNSET) -> shapes.InvitedOut:
        """Invite annotators.

        Those named, or all annotators who were not asked yet.
            usernames: all where absent

        POST projects/{slug}/pilot/candidates/
        """
        return self._call_json(
            "POST", "projects/{slug}/pilot/candidates/", path_values={"slug": slug}, json={"usernames": usernames}
        )

    def pilot_candidates_list(
        self,
        slug: str,
        /,
        *,
        state: Literal["in_pilot", "invited", "qualified", "rejected", "submitted"] | Unset = UNSET,
    ) -> list[shapes.PilotCandidateOut]:
        """List candidates.

        The candidates of a project.

        GET projects/{slug}/pilot/candidates/
        """
        return self._call_json(
            "GET", "projects/{slug}/pilot/candidates/", path_values={"slug": slug}, query={"state": state}
        )

    def pilot_read(self, slug: str, /) -> shapes.PilotOut:
        """Read the pilot.

        The pilot of a project.

        GET projects/{slug}/pilot/
        """
        return self._call_json("GET", "projects/{slug}/pilot/", path_values={"slug": slug})

    def pilot_sample_read(self, public_id: str, /) -> shapes.PilotComparedOut:
        """Compare the answers to a sample.

        Every candidate who was given it, with the checks of each answer.

        GET pilot-samples/{public_id}/
        """
        return self._call_json("GET", "pilot-samples/{public_id}/", path_values={"public_id": public_id})

    def pilot_sample_remove(self, public_id: str, /) -> None:
        """Take a sample out.

        It is back in the ordinary work. Not once a candidate has begun (409).

        DELETE pilot-samples/{public_id}/
        """
        self._call_nothing("DELETE", "pilot-samples/{public_id}/", path_values={"public_id": public_id})

    def pilot_samples_add(
        self, slug: str, /, *, sample: str, chosen: dict[str, list[dict[str, Any]]] | Unset = UNSET
    ) -> shapes.PilotSampleOut:
        """Add a sample.

        It is copied into the pilot and leaves the ordinary work. Not once a candidate has begun (409).
            sample: of the project, one that nobody works on
            chosen: what it is about, where no annotator has chosen that yet

        POST projects/{slug}/pilot/samples/
        """
        return self._call_json(
            "POST",
            "projects/{slug}/pilot/samples/",
            path_values={"slug": slug},
            json={"sample": sample, "chosen": chosen},
        )

    def pilot_switch(self, slug: str, /, *, on: bool | Unset = UNSET) -> shapes.PilotOut:
        """Switch the pilot on or off.

        On: only who qualifies is given ordinary tasks. What people hold they can finish.

        PATCH projects/{slug}/pilot/
        """
        return self._call_json("PATCH", "projects/{slug}/pilot/", path_values={"slug": slug}, json={"on": on})

    def practice_annotators_decide(
        self, slug: str, /, *, person: str, do: Literal["let_on", "reset"]
    ) -> list[shapes.AnnotatorPracticeOut]:
        """Let a person go on, or reset the practice.

        `let_on`: without passing; 409 (code passed) where nothing is in the way. `reset`: tries are
        deleted.
            person: user name

        POST projects/{slug}/practice/annotators/
        """
        return self._call_json(
            "POST",
            "projects/{slug}/practice/annotators/",
            path_values={"slug": slug},
            json={"person": person, "do": do},
        )

    def practice_annotators_list(self, slug: str, /) -> list[shapes.AnnotatorPracticeOut]:
        """List annotators with their practice.

        Who is where in the practice.

        GET projects/{slug}/practice/annotators/
        """
        return self._call_json("GET", "projects/{slug}/practice/annotators/", path_values={"slug": slug})

    def practice_item_change(
        self, public_id: str, /, *, values: dict[str, Any], right: dict[str, Any], reason: str
    ) -> shapes.PracticeItemOut:
        """Store the next version of an item.

        It gets a new id. Tries already made keep the version they answered.
            values: a value for every sampled attribute
            right: {"chosen": {key: {"needed": [...], "also": [...]}}, "segments": {"needed": [...], "also":
                [...]}, "length": {"low": n, "high": n}}; segments from 0, words; only the parts that are
                asked for
            reason: shown with the feedback after each try

        PUT practice-items/{public_id}/
        """
        return self._call_json(
            "PUT",
            "practice-items/{public_id}/",
            path_values={"public_id": public_id},
            json={"values": values, "right": right, "reason": reason},
        )

    def practice_item_remove(self, public_id: str, /) -> None:
        """Remove an item.

        Whoever passes without it may go on. 409 (code last) for the last one while the practice is on.

        DELETE practice-items/{public_id}/
        """
        self._call_nothing("DELETE", "practice-items/{public_id}/", path_values={"public_id": public_id})

    def practice_items_add(
        self, slug: str, /, *, values: dict[str, Any], right: dict[str, Any], reason: str, document: str
    ) -> shapes.PracticeItemOut:
        """Add an item.

        At most 10. The right answers of at least one part must be given.
            values: a value for every sampled attribute
            right: {"chosen": {key: {"needed": [...], "also": [...]}}, "segments": {"needed": [...], "also":
                [...]}, "length": {"low": n, "high": n}}; segments from 0, words; only the parts that are
                asked for
            reason: shown with the feedback after each try
            document: external id

        POST projects/{slug}/practice/items/
        """
        return self._call_json(
            "POST",
            "projects/{slug}/practice/items/",
            path_values={"slug": slug},
            json={"values": values, "right": right, "reason": reason, "document": document},
        )

    def practice_read(self, slug: str, /) -> shapes.PracticeOut:
        """Read one's practice.

        Right answers come with the items that are finished. 403 (code gate) before the guideline is
        confirmed.

        GET projects/{slug}/practice/
        """
        return self._call_json("GET", "projects/{slug}/practice/", path_values={"slug": slug})

    def practice_setup_change(
        self, slug: str, /, *, on: bool | Unset = UNSET, share: float | Unset = UNSET
    ) -> shapes.PracticeSetupOut:
        """Switch the practice, set the share to pass.

        On: annotators must pass it before they claim tasks. 409 (code noitems) without an item.

        PATCH projects/{slug}/practice/setup/
        """
        return self._call_json(
            "PATCH", "projects/{slug}/practice/setup/", path_values={"slug": slug}, json={"on": on, "share": share}
        )

    def practice_setup_read(self, slug: str, /) -> shapes.PracticeSetupOut:
        """Read the practice.

        The practice of a project.

        GET projects/{slug}/practice/setup/
        """
        return self._call_json("GET", "projects/{slug}/practice/setup/", path_values={"slug": slug})

    def practice_try(self, slug: str, /, *, item: str, attempt: int, answer: dict[str, Any]) -> shapes.PracticeOut:
        """Try an item.

        `attempt` is 1 or 2: a try sent twice counts once (409). The answer is the practice with the
        feedback.
            answer: {"chosen": {key: [...]}, "segments": [...], "text": "..."}, the parts that the item asks
                for

        POST projects/{slug}/practice/tries/
        """
        return self._call_json(
            "POST",
            "projects/{slug}/practice/tries/",
            path_values={"slug": slug},
            json={"item": item, "attempt": attempt, "answer": answer},
        )

    def project_freeze(self, slug: str, /, *, frozen: bool) -> shapes.FrozenOut:
        """Freeze or unfreeze a project.

        While it is frozen nobody gets a new task; what is held can be finished.

        POST projects/{slug}/freeze/
        """
        return self._call_json("POST", "projects/{slug}/freeze/", path_values={"slug": slug}, json={"frozen": frozen})

    def projects_change(
        self,
        slug: str,
        /,
        *,
        name: str | Unset = UNSET,
        language: str | Unset = UNSET,
        timezone: str | Unset = UNSET,
        overlap: int | Unset = UNSET,
        claim_unit: Literal["sample", "group", "source"] | Unset = UNSET,
        phases: Literal["one-page", "two"] | Unset = UNSET,
        assistance: Literal["minimal", "full", "suggested", "randomised", "randomised-3"] | Unset = UNSET,
        suggestions_from: str | Unset = UNSET,
        lease_minutes: int | Unset = UNSET,
        skip_limit: int | Unset = UNSET,
        notes_to_next: Literal["never", "released"] | Unset = UNSET,
        extra_below: float | Unset | None = UNSET,
        extra_measure: Literal["segments_f1", "words_f1", "rouge_l"] | Unset = UNSET,
        extra_most: int | Unset = UNSET,
        pause_after_returned: int | Unset | None = UNSET,
        pause_accepted_below: float | Unset | None = UNSET,
        pause_seconds_below: int | Unset | None = UNSET,
        pause_window: int | Unset = UNSET,
        summary_minutes: float | Unset = UNSET,
        pay_per_hour: float | Unset | None = UNSET,
        pay_currency: str | Unset = UNSET,
    ) -> shapes.ProjectOut:
        """Change settings.

        One project.
            suggestions_from: run:ID of a finished run, for assistance suggested and randomised-3
            notes_to_next: notes on a task for the sample's next annotator
            extra_below: one more text is requested where annotators agree less; null: never
            extra_measure: agreement of what
            extra_most: such texts in all
            pause_after_returned: verdicts in a row that returned or rejected a task pause its writer; null:
                never
            pause_accepted_below: a smaller share accepted of the latest verdicts pauses a writer; null:
                never
            pause_seconds_below: a smaller median of active seconds of the latest tasks pauses a writer;
                null: never
            pause_window: how many verdicts or tasks are the latest ones
            pay_currency: such as EUR; only shown

        PATCH projects/{slug}/
        """
        return self._call_json(
            "PATCH",
            "projects/{slug}/",
            path_values={"slug": slug},
            json={
                "name": name,
                "language": language,
                "timezone": timezone,
                "overlap": overlap,
                "claim_unit": claim_unit,
                "phases": phases,
                "assistance": assistance,
                "suggestions_from": suggestions_from,
                "lease_minutes": lease_minutes,
                "skip_limit": skip_limit,
                "notes_to_next": notes_to_next,
                "extra_below": extra_below,
                "extra_measure": extra_measure,
                "extra_most": extra_most,
                "pause_after_returned": pause_after_returned,
                "pause_accepted_below": pause_accepted_below,
                "pause_seconds_below": pause_seconds_below,
                "pause_window": pause_window,
                "summary_minutes": summary_minutes,
                "pay_per_hour": pay_per_hour,
                "pay_currency": pay_currency,
            },
        )

    def projects_list(self, *, page_size: int | Unset = UNSET) -> Iterator[shapes.ProjectOut]:
        """Projects I am in.

        The projects one is in.
            page_size: 50 where not given, at most 200

        GET projects/
        """
        return self._call_pages("GET", "projects/", query={"page_size": page_size})

    def projects_make(
        self,
        *,
        slug: str,
        name: str | Unset = UNSET,
        language: str | Unset = UNSET,
        timezone: str | Unset = UNSET,
        overlap: int | Unset = UNSET,
        claim_unit: Literal["sample", "group", "source"] | Unset = UNSET,
        phases: Literal["one-page", "two"] | Unset = UNSET,
        assistance: Literal["minimal", "full", "suggested", "randomised", "randomised-3"] | Unset = UNSET,
        suggestions_from: str | Unset = UNSET,
        lease_minutes: int | Unset = UNSET,
        skip_limit: int | Unset = UNSET,
        notes_to_next: Literal["never", "released"] | Unset = UNSET,
        extra_below: float | Unset | None = UNSET,
        extra_measure: Literal["segments_f1", "words_f1", "rouge_l"] | Unset = UNSET,
        extra_most: int | Unset = UNSET,
        pause_after_returned: int | Unset | None = UNSET,
        pause_accepted_below: float | Unset | None = UNSET,
        pause_seconds_below: int | Unset | None = UNSET,
        pause_window: int | Unset = UNSET,
        summary_minutes: float | Unset = UNSET,
        pay_per_hour: float | Unset | None = UNSET,
        pay_currency: str | Unset = UNSET,
        schema: str | Unset = UNSET,
        kind: Literal["aggregation", "summary"] | Unset = UNSET,
        schema_text: str | Unset = UNSET,
        guideline: str | Unset = UNSET,
    ) -> shapes.ProjectOut:
        """Make a project.

        Site admins, and whoever is researcher or admin of a project already.
            suggestions_from: run:ID of a finished run, for assistance suggested and randomised-3
            notes_to_next: notes on a task for the sample's next annotator
            extra_below: one more text is requested where annotators agree less; null: never
            extra_measure: agreement of what
            extra_most: such texts in all
            pause_after_returned: verdicts in a row that returned or rejected a task pause its writer; null:
                never
            pause_accepted_below: a smaller share accepted of the latest verdicts pauses a writer; null:
                never
            pause_seconds_below: a smaller median of active seconds of the latest tasks pauses a writer;
                null: never
            pause_window: how many verdicts or tasks are the latest ones
            pay_currency: such as EUR; only shown
            schema: a preset: macsum-doc, short-articles, macsum-dial, ccsbench
            kind: what a task asks
            schema_text: one's own schema instead, as TOML
            guideline: Markdown; the preset's where absent

        POST projects/
        """
        return self._call_json(
            "POST",
            "projects/",
            json={
                "name": name,
                "language": language,
                "timezone": timezone,
                "overlap": overlap,
                "claim_unit": claim_unit,
                "phases": phases,
                "assistance": assistance,
                "suggestions_from": suggestions_from,
                "lease_minutes": lease_minutes,
                "skip_limit": skip_limit,
                "notes_to_next": notes_to_next,
                "extra_below": extra_below,
                "extra_measure": extra_measure,
                "extra_most": extra_most,
                "pause_after_returned": pause_after_returned,
                "pause_accepted_below": pause_accepted_below,
                "pause_seconds_below": pause_seconds_below,
                "pause_window": pause_window,
                "summary_minutes": summary_minutes,
                "pay_per_hour": pay_per_hour,
                "pay_currency": pay_currency,
                "slug": slug,
                "schema": schema,
                "kind": kind,
                "schema_text": schema_text,
                "guideline": guideline,
            },
        )

    def projects_read(self, slug: str, /) -> shapes.ProjectOut:
        """Read a project.

        One project.

        GET projects/{slug}/
        """
        return self._call_json("GET", "projects/{slug}/", path_values={"slug": slug})

    def publication_change(
        self,
        public_id: str,
        /,
        *,
        description: shapes.DescriptionIn | Unset = UNSET,
        unlicensed: Literal["leave_out"] | Literal[""] | Unset = UNSET,
        leaks: Literal["keep", "leave_out"] | Literal[""] | Unset = UNSET,
    ) -> shapes.PublicationOut:
        """Describe a publication, or decide about it.

        `unlicensed` and `leaks` say what is done about texts without a licence and about leaks between
        splits.

        PATCH publications/{public_id}/
        """
        return self._call_json(
            "PATCH",
            "publications/{public_id}/",
            path_values={"public_id": public_id},
            json={"description": description, "unlicensed": unlicensed, "leaks": leaks},
        )

    def publication_check(self, public_id: str, /) -> shapes.JobStarted:
        """Check a publication.

        Licences, personal data, duplicates and splits of all rows. Decisions about places found again stay.

        POST publications/{public_id}/check/
        """
        return self._call_json("POST", "publications/{public_id}/check/", path_values={"public_id": public_id})

    def publication_hits_decide(
        self,
        public_id: str,
        /,
        *,
        decision: Literal["keep", "mask", "leave_out"],
        hits: list[str] | Unset = UNSET,
        kind: Literal["email", "phone", "name"] | Unset = UNSET,
    ) -> shapes.HitDecisionsOut:
        """Decide about places with personal data.

        Places that look like personal data.
            hits: ids; or kind instead
            kind: all undecided places of this kind

        POST publications/{public_id}/hits/
        """
        return self._call_json(
            "POST",
            "publications/{public_id}/hits/",
            path_values={"public_id": public_id},
            json={"decision": decision, "hits": hits, "kind": kind},
        )

    def publication_hits_list(
        self,
        public_id: str,
        /,
        *,
        decision: Literal["keep", "leave_out", "mask", "open"] | Unset = UNSET,
        kind: Literal["email", "name", "phone"] | Unset = UNSET,
        page_size: int | Unset = UNSET,
    ) -> Iterator[shapes.PublicationHitOut]:
        """List places with personal data.

        Where they are, in code points; the texts are those of the sources and summaries.
            page_size: 50 where not given, at most 200

        GET publications/{public_id}/hits/
        """
        return self._call_pages(
            "GET",
            "publications/{public_id}/hits/",
            path_values={"public_id": public_id},
            query={"decision": decision, "kind": kind, "page_size": page_size},
        )

    def publication_read(self, public_id: str, /) -> shapes.PublicationOut:
        """Read a publication.

        One publication.

        GET publications/{public_id}/
        """
        return self._call_json("GET", "publications/{public_id}/", path_values={"public_id": public_id})

    def publication_upload(
        self, public_id: str, /, *, repository: str, private: bool | Unset = UNSET
    ) -> shapes.JobStarted:
        """Upload a publication to the hub.

        409 (code nohub) where the site has no token for a hub.
            repository: owner/name on the hub of this site

        POST publications/{public_id}/upload/
        """
        return self._call_json(
            "POST",
            "publications/{public_id}/upload/",
            path_values={"public_id": public_id},
            json={"repository": repository, "private": private},
        )

    def publication_write(self, public_id: str, /) -> shapes.JobStarted:
        """Write a publication.

        The job's file is a zip archive of the folder.

        POST publications/{public_id}/write/
        """
        return self._call_json("POST", "publications/{public_id}/write/", path_values={"public_id": public_id})

    def publications_list(self, slug: str, /, *, page_size: int | Unset = UNSET) -> Iterator[shapes.PublicationLineOut]:
        """List publications.

        The publications of a project.
            page_size: 50 where not given, at most 200

        GET projects/{slug}/publications/
        """
        return self._call_pages(
            "GET", "projects/{slug}/publications/", path_values={"slug": slug}, query={"page_size": page_size}
        )

    def publications_start(
        self,
        slug: str,
        /,
        *,
        tag: str,
        state: Literal["latest", "accepted"] | Unset = UNSET,
        split_seed: int | Unset = UNSET,
    ) -> shapes.PublicationOut:
        """Start a publication.

        Of a release; nothing is read before it is checked.
            tag: of a release; a new tag is frozen by the first check
            state: of a new release; accepted where not given
            split_seed: of a new release: draws splits by origin

        POST projects/{slug}/publications/
        """
        return self._call_json(
            "POST",
            "projects/{slug}/publications/",
            path_values={"slug": slug},
            json={"tag": tag, "state": state, "split_seed": split_seed},
        )

    def question_answer(
        self, public_id: str, /, *, answer: str, kind: Literal["private", "ruling"], question: str | Unset = UNSET
    ) -> shapes.QuestionOut:
        """Answer a question.

        409 (code answered) when somebody was first. A ruling joins the guideline's log.
            kind: private, or ruling: shown to everybody
            question: of a ruling: the question as everybody reads it; the asker's words where empty

        POST questions/{public_id}/answer/
        """
        return self._call_json(
            "POST",
            "questions/{public_id}/answer/",
            path_values={"public_id": public_id},
            json={"answer": answer, "kind": kind, "question": question},
        )

    def questions_list(
        self, slug: str, /, *, page_size: int | Unset = UNSET, state: Literal["all", "answered", "open"] | Unset = UNSET
    ) -> Iterator[shapes.QuestionOut]:
        """List questions.

        All questions of a project.
            page_size: 50 where not given, at most 200
            state: open if absent

        GET projects/{slug}/questions/
        """
        return self._call_pages(
            "GET",
            "projects/{slug}/questions/",
            path_values={"slug": slug},
            query={"page_size": page_size, "state": state},
        )

    def ranking_lists_make(
        self,
        slug: str,
        /,
        *,
        release: str,
        split_by: Literal["release", "origin", "instance"] | Unset = UNSET,
        seed: int | Unset = UNSET,
    ) -> shapes.ListsOut:
        """Make ranking lists.

        Once per release; negatives are drawn from the golds of other instances of the same type and split.
            release: the tag of a frozen release

        POST projects/{slug}/ranking-lists/
        """
        return self._call_json(
            "POST",
            "projects/{slug}/ranking-lists/",
            path_values={"slug": slug},
            json={"release": release, "split_by": split_by, "seed": seed},
        )

    def ranking_lists_read(self, slug: str, /) -> shapes.ReleasesOut:
        """Read which releases have ranking lists.

        Newest release first, with counts by split.

        GET projects/{slug}/ranking-lists/
        """
        return self._call_json("GET", "projects/{slug}/ranking-lists/", path_values={"slug": slug})

    def rankings_read(
        self, slug: str, /, *, run: list[str] | Unset = UNSET, split: Literal["dev", "test", "train"] | Unset = UNSET
    ) -> shapes.RankTablesOut:
        """Read the tables of runs that rank.

        `run` is given as often as there are runs.
            run: id of a run, or the key of its system
            split: test where not given

        GET projects/{slug}/rankings/
        """
        return self._call_json(
            "GET", "projects/{slug}/rankings/", path_values={"slug": slug}, query={"run": run, "split": split}
        )

    def rating_confirm(self, public_id: str, /, *, hash: str) -> shapes.InstructionsOut:
        """Confirm the instructions.

        What is to be read before the first item.

        POST rounds/{public_id}/instructions/
        """
        return self._call_json(
            "POST", "rounds/{public_id}/instructions/", path_values={"public_id": public_id}, json={"hash": hash}
        )

    def rating_instructions(self, public_id: str, /) -> shapes.InstructionsOut:
        """Read the instructions.

        What is to be read before the first item.

        GET rounds/{public_id}/instructions/
        """
        return self._call_json("GET", "rounds/{public_id}/instructions/", path_values={"public_id": public_id})

    def rating_qualify(self, public_id: str, /, *, answers: dict[str, str]) -> shapes.InstructionsOut:
        """Answer the worked examples.

        409 (code tries) when all tries are used up.
            answers: {example}-{question}

        POST rounds/{public_id}/qualification/
        """
        return self._call_json(
            "POST", "rounds/{public_id}/qualification/", path_values={"public_id": public_id}, json={"answers": answers}
        )

    def rating_rounds(self) -> list[shapes.OwnRoundOut]:
        """List one's rounds.

        The rounds the caller rates in.

        GET rating/
        """
        return self._call_json(
            "GET",
            "rating/",
        )

    def releases_list(self, slug: str, /, *, page_size: int | Unset = UNSET) -> Iterator[shapes.DatasetReleaseOut]:
        """List releases.

        The frozen lists of rows.
            page_size: 50 where not given, at most 200

        GET projects/{slug}/releases/
        """
        return self._call_pages(
            "GET", "projects/{slug}/releases/", path_values={"slug": slug}, query={"page_size": page_size}
        )

    def rewrites_judge(
        self,
        public_id: str,
        /,
        *,
        aspect: Literal["summary", "empirical", "conceptual"],
        verdict: Literal["accept", "drop"],
    ) -> shapes.VerdictOut:
        """Accept or drop a rewrite.

        The last verdict on a text counts. A dropped text leaves every set, an accepted one comes back.

        POST rewrites/{public_id}/verdict/
        """
        return self._call_json(
            "POST",
            "rewrites/{public_id}/verdict/",
            path_values={"public_id": public_id},
            json={"aspect": aspect, "verdict": verdict},
        )

    def rewrites_list(
        self,
        slug: str,
        /,
        *,
        page_size: int | Unset = UNSET,
        state: Literal["done", "failed", "leased", "retried", "waiting"] | Unset = UNSET,
        step: Literal["compositional", "focus", "keywords", "length", "readability", "splits"] | Unset = UNSET,
    ) -> Iterator[shapes.RewriteOut]:
        """List calls.

        The calls of a construction.
            page_size: 50 where not given, at most 200

        GET projects/{slug}/construction/rewrites/
        """
        return self._call_pages(
            "GET",
            "projects/{slug}/construction/rewrites/",
            path_values={"slug": slug},
            query={"page_size": page_size, "state": state, "step": step},
        )

    def round_change(self, public_id: str, /, *, config: str) -> shapes.OneRoundOut:
        """Change a draft.

        409 (code frozen) once the round was launched.
            config: TOML; see the guide for researchers

        PUT rounds/{public_id}/
        """
        return self._call_json(
            "PUT", "rounds/{public_id}/", path_values={"public_id": public_id}, json={"config": config}
        )

    def round_check(self, slug: str, /, *, config: str) -> shapes.CheckOut:
        """Check a design.

        Items, cost, power and missing outputs; nothing is stored.
            config: TOML; see the guide for researchers

        POST projects/{slug}/rounds/check/
        """
        return self._call_json(
            "POST", "projects/{slug}/rounds/check/", path_values={"slug": slug}, json={"config": config}
        )

    def round_check_file_download(self, public_id: str, /) -> Download:
        """Download the file for checking a round's report.

        Every number with its formula, and all answers behind them, for `epitome check`. 409 (code noreport)
        before the report has been computed, and (code stale) where answers or scores came since.

        GET rounds/{public_id}/report/check/
        """
        return self._call_download("GET", "rounds/{public_id}/report/check/", path_values={"public_id": public_id})

    def round_clear(self, public_id: str, /, *, rater: str, source: str, reason: str) -> None:
        """Let somebody rate a source they worked on.

        The exception is logged.
            source: id of the document

        POST rounds/{public_id}/clearances/
        """
        self._call_nothing(
            "POST",
            "rounds/{public_id}/clearances/",
            path_values={"public_id": public_id},
            json={"rater": rater, "source": source, "reason": reason},
        )

    def round_drop(self, public_id: str, /) -> None:
        """Remove a draft.

        409 (code frozen) once the round was launched.

        DELETE rounds/{public_id}/
        """
        self._call_nothing("DELETE", "rounds/{public_id}/", path_values={"public_id": public_id})

    def round_extra_ratings(self, public_id: str, /) -> shapes.ExtraRatingsOut:
        """Request ratings where raters disagree.

        Requests one more rating of each item that raters disagree on, up to the cap of the design. The same
        is done about once a minute. 409 where the design requests none, or the round is not running.

        POST rounds/{public_id}/extra-ratings/
        """
        return self._call_json("POST", "rounds/{public_id}/extra-ratings/", path_values={"public_id": public_id})

    def round_interim(self, public_id: str, /) -> shapes.InterimOut:
        """Look at a running round.

        409 (code fixed) for a round without a stopping rule. Systems have letters until the round is
        unblinded.

        GET rounds/{public_id}/interim/
        """
        return self._call_json("GET", "rounds/{public_id}/interim/", path_values={"public_id": public_id})

    def round_interim_close(self, public_id: str, /) -> shapes.InterimOut:
        """Close by the rule.

        Close the round where its rule is met; that is logged. 409 (code not_met) where it is not.

        POST rounds/{public_id}/interim/
        """
        return self._call_json("POST", "rounds/{public_id}/interim/", path_values={"public_id": public_id})

    def round_judge(self, public_id: str, /, *, system: str) -> shapes.JobStarted:
        """Let a model judge.

        What it has answered already is not asked again.
            system: key of a system of the project with the role judge

        POST rounds/{public_id}/judges/
        """
        return self._call_json(
            "POST", "rounds/{public_id}/judges/", path_values={"public_id": public_id}, json={"system": system}
        )

    def round_judgements(
        self,
        public_id: str,
        /,
        *,
        excluded: bool | Unset = UNSET,
        extra: bool | Unset = UNSET,
        format: Literal["csv", "jsonl"] | Unset = UNSET,
        notes: bool | Unset = UNSET,
        quality: bool | Unset = UNSET,
    ) -> Download:
        """Export judgements as JSON lines or CSV.

        Systems are named only once the round is unblinded.
            excluded: raters whom the rules exclude too, marked
            extra: additional ratings of disagreements, marked
            format: jsonl or csv
            notes: free words too
            quality: foils and repeats too, with their kind

        GET rounds/{public_id}/judgements/
        """
        return self._call_download(
            "GET",
            "rounds/{public_id}/judgements/",
            path_values={"public_id": public_id},
            query={"excluded": excluded, "extra": extra, "format": format, "notes": notes, "quality": quality},
        )

    def round_launch(self, public_id: str, /) -> shapes.OneRoundOut:
        """Launch a round.

        Freezes the design and copies the texts. 422 with what is missing.

        POST rounds/{public_id}/launch/
        """
        return self._call_json("POST", "rounds/{public_id}/launch/", path_values={"public_id": public_id})

    def round_make(self, slug: str, /, *, config: str) -> shapes.OneRoundOut:
        """Make a round as a draft.

        422 names the key and line of the configuration; 409 when the project has a round of that name.
            config: TOML; see the guide for researchers

        POST projects/{slug}/rounds/
        """
        return self._call_json("POST", "projects/{slug}/rounds/", path_values={"slug": slug}, json={"config": config})

    def round_move(
        self, public_id: str, /, *, do: Literal["pause", "resume", "close", "reopen", "unblind"]
    ) -> shapes.OneRoundOut:
        """Pause, resume, close, reopen or unblind.

        Unblinding closes the round for good and is logged; the call itself is the confirmation.

        POST rounds/{public_id}/state/
        """
        return self._call_json(
            "POST", "rounds/{public_id}/state/", path_values={"public_id": public_id}, json={"do": do}
        )

    def round_outside_import(
        self, public_id: str, /, *, file: FileLike, map: str | Unset = UNSET, dry_run: bool | Unset = UNSET
    ) -> shapes.OutsideAnswersOut:
        """Import answers made elsewhere.

        Marked errors of Pearmut or factgenie. Stores all of a file or nothing; the same file again adds
        nothing. `dry_run` answers with the same counts and stores nothing. 422 `words` names severities and
        categories that `map` must give a place; 409 where the round takes no answers.
            file: annotations.json of Pearmut; JSON lines, or a zip of them, of factgenie
            map: what the round calls words of the file: {"severity:minor": "major", "category:Grammar":
                "fluency"}; "-" leaves it out

        POST rounds/{public_id}/outside-answers/
        """
        return self._call_json(
            "POST",
            "rounds/{public_id}/outside-answers/",
            path_values={"public_id": public_id},
            form={"file": file, "map": map, "dry_run": dry_run},
            files=("file",),
        )

    def round_outside_raters(self, public_id: str, /) -> shapes.OutsideRatersOut:
        """List outside raters.

        The accounts that stand for people whose answers were imported.

        GET rounds/{public_id}/outside-answers/
        """
        return self._call_json("GET", "rounds/{public_id}/outside-answers/", path_values={"public_id": public_id})

    def round_outside_remove(self, public_id: str, /, *, rater: str) -> None:
        """Remove imported answers.

        Deletes all that one outside rater answered in the round. Logged.

        POST rounds/{public_id}/outside-answers/remove/
        """
        self._call_nothing(
            "POST",
            "rounds/{public_id}/outside-answers/remove/",
            path_values={"public_id": public_id},
            json={"rater": rater},
        )

    def round_presets_list(self, slug: str, /) -> list[shapes.PresetOut]:
        """List preset rounds.

        Those that fit the project, each as the TOML text of a round; nothing is stored.

        GET projects/{slug}/round-presets/
        """
        return self._call_json("GET", "projects/{slug}/round-presets/", path_values={"slug": slug})

    def round_read(self, public_id: str, /) -> shapes.OneRoundOut:
        """Read a round.

        One round, with its frozen design and how far it is.

        GET rounds/{public_id}/
        """
        return self._call_json("GET", "rounds/{public_id}/", path_values={"public_id": public_id})

    def round_replace(
        self, public_id: str, /, *, leaves: str, keep: bool, joins: str | Unset = UNSET
    ) -> shapes.RatersOut:
        """Replace a rater.

        One rater leaves, another may take the place; `keep` says whether the first one's answers count.
            leaves: the name of an account
            keep: whether the answers given so far count; if not, they are asked again

        POST rounds/{public_id}/raters/
        """
        return self._call_json(
            "POST",
            "rounds/{public_id}/raters/",
            path_values={"public_id": public_id},
            json={"leaves": leaves, "joins": joins, "keep": keep},
        )

    def round_report_read(self, public_id: str, /) -> shapes.ReportOut:
        """Read a round's report.

        Nothing is computed by this call. 409 (code blind) while the round is blind.

        GET rounds/{public_id}/report/
        """
        return self._call_json("GET", "rounds/{public_id}/report/", path_values={"public_id": public_id})

    def round_report_start(self, public_id: str, /) -> shapes.JobStarted:
        """Work a round's report out.

        409 (code blind) while the round is blind.

        POST rounds/{public_id}/report/
        """
        return self._call_json("POST", "rounds/{public_id}/report/", path_values={"public_id": public_id})

    def round_resume_rater(self, public_id: str, /, *, rater: str) -> None:
        """Resume a paused rater.

        For a rater whom a rule of the design paused. The rules count only later answers.
            rater: the name of an account

        POST rounds/{public_id}/raters/resume/
        """
        self._call_nothing(
            "POST", "rounds/{public_id}/raters/resume/", path_values={"public_id": public_id}, json={"rater": rater}
        )

    def round_site_download(self, public_id: str, /) -> Download:
        """Download the site of a round.

        A zip archive of plain pages, tables and figures without raters. 409 (code noreport) before the
        report has been computed.

        GET rounds/{public_id}/site/
        """
        return self._call_download("GET", "rounds/{public_id}/site/", path_values={"public_id": public_id})

    def round_template_check(self, slug: str, /, *, toml: str) -> shapes.TemplateCheckOut:
        """Check a round template.

        Nothing is stored.
            toml: the template as TOML; see the guide for researchers

        POST projects/{slug}/round-templates/check/
        """
        return self._call_json(
            "POST", "projects/{slug}/round-templates/check/", path_values={"slug": slug}, json={"toml": toml}
        )

    def round_template_delete(self, public_id: str, /) -> None:
        """Delete a round template.

        One template.

        DELETE round-templates/{public_id}/
        """
        self._call_nothing("DELETE", "round-templates/{public_id}/", path_values={"public_id": public_id})

    def round_template_read(self, public_id: str, /) -> shapes.RoundTemplateOut:
        """Read a round template.

        One template.

        GET round-templates/{public_id}/
        """
        return self._call_json("GET", "round-templates/{public_id}/", path_values={"public_id": public_id})

    def round_template_replace(self, public_id: str, /, *, toml: str) -> shapes.RoundTemplateOut:
        """Replace a round template.

        Launched rounds keep the text they were launched with.
            toml: the template as TOML; see the guide for researchers

        PUT round-templates/{public_id}/
        """
        return self._call_json(
            "PUT", "round-templates/{public_id}/", path_values={"public_id": public_id}, json={"toml": toml}
        )

    def round_template_store(self, slug: str, /, *, toml: str) -> shapes.RoundTemplateOut:
        """Store a round template.

        422 names the key and line of the text; 409 when the project has a template of that key.
            toml: the template as TOML; see the guide for researchers

        POST projects/{slug}/round-templates/
        """
        return self._call_json(
            "POST", "projects/{slug}/round-templates/", path_values={"slug": slug}, json={"toml": toml}
        )

    def round_templates_list(
        self, slug: str, /, *, page_size: int | Unset = UNSET
    ) -> Iterator[shapes.RoundTemplateOut]:
        """List round templates.

        The templates of a project.
            page_size: 50 where not given, at most 200

        GET projects/{slug}/round-templates/
        """
        return self._call_pages(
            "GET", "projects/{slug}/round-templates/", path_values={"slug": slug}, query={"page_size": page_size}
        )

    def rounds_list(
        self,
        slug: str,
        /,
        *,
        page_size: int | Unset = UNSET,
        q: str | Unset = UNSET,
        state: Literal["closed", "draft", "open", "paused", "unblinded"] | Unset = UNSET,
    ) -> Iterator[shapes.RoundOut]:
        """List rounds.

        The rounds of a project.
            page_size: 50 where not given, at most 200
            q: contained in the name, in any case

        GET projects/{slug}/rounds/
        """
        return self._call_pages(
            "GET",
            "projects/{slug}/rounds/",
            path_values={"slug": slug},
            query={"page_size": page_size, "q": q, "state": state},
        )

    def rulings_list(self, slug: str, /, *, page_size: int | Unset = UNSET) -> Iterator[shapes.RulingOut]:
        """List rulings.

        The guideline's log of rulings.
            page_size: 50 where not given, at most 200

        GET projects/{slug}/rulings/
        """
        return self._call_pages(
            "GET", "projects/{slug}/rulings/", path_values={"slug": slug}, query={"page_size": page_size}
        )

    def run_changes_read(self, public_id: str, /) -> shapes.StudiesOut:
        """Read studies of changed requests.

        Newest first; tables are empty until outputs can be compared.

        GET runs/{public_id}/changes/
        """
        return self._call_json("GET", "runs/{public_id}/changes/", path_values={"public_id": public_id})

    def run_changes_start(
        self, public_id: str, /, *, n: int | Unset = UNSET, seed: int | Unset = UNSET
    ) -> shapes.StudyOut:
        """Change requests.

        Starts a run per attribute, each cancelled and resumed as a run; the same n and seed are the same
        study.
            n: samples per attribute; as in the paper if absent

        POST runs/{public_id}/changes/
        """
        return self._call_json(
            "POST", "runs/{public_id}/changes/", path_values={"public_id": public_id}, json={"n": n, "seed": seed}
        )

    def runs_cancel(self, public_id: str, /) -> shapes.RunDetailOut:
        """Cancel a run.

        What is done stays; 409 when the run has ended.

        POST runs/{public_id}/cancel/
        """
        return self._call_json("POST", "runs/{public_id}/cancel/", path_values={"public_id": public_id})

    def runs_export(self, public_id: str, /) -> Download:
        """Download the outputs of a run.

        One JSON line per sample, with provenance and measures; `measure --predictions` and an upload read
        it.

        GET runs/{public_id}/export/
        """
        return self._call_download("GET", "runs/{public_id}/export/", path_values={"public_id": public_id})

    def runs_list(
        self,
        slug: str,
        /,
        *,
        page_size: int | Unset = UNSET,
        q: str | Unset = UNSET,
        state: Literal["cancelled", "done", "failed", "queued", "running"] | Unset = UNSET,
    ) -> Iterator[shapes.RunOut]:
        """List runs.

        The runs of a project.
            page_size: 50 where not given, at most 200
            q: contained in the label or the name of the system, in any case

        GET projects/{slug}/runs/
        """
        return self._call_pages(
            "GET",
            "projects/{slug}/runs/",
            path_values={"slug": slug},
            query={"page_size": page_size, "q": q, "state": state},
        )

    def runs_outputs(
        self,
        public_id: str,
        /,
        *,
        page_size: int | Unset = UNSET,
        state: Literal["done", "failed", "leased", "waiting"] | Unset = UNSET,
    ) -> Iterator[shapes.OutputOut]:
        """Outputs of a run.

        The outputs of a run.
            page_size: 50 where not given, at most 200

        GET runs/{public_id}/outputs/
        """
        return self._call_pages(
            "GET",
            "runs/{public_id}/outputs/",
            path_values={"public_id": public_id},
            query={"page_size": page_size, "state": state},
        )

    def runs_read(self, public_id: str, /) -> shapes.RunDetailOut:
        """Read a run.

        One run.

        GET runs/{public_id}/
        """
        return self._call_json("GET", "runs/{public_id}/", path_values={"public_id": public_id})

    def runs_resume(self, public_id: str, /, *, budget: float | Unset | None = UNSET) -> shapes.RunDetailOut:
        """Resume a run.

        Failed samples are tried again; 409 while it is under way, or when nothing is left to do.
            budget: instead of its own

        POST runs/{public_id}/resume/
        """
        return self._call_json(
            "POST", "runs/{public_id}/resume/", path_values={"public_id": public_id}, json={"budget": budget}
        )

    def runs_start(
        self,
        slug: str,
        /,
        *,
        system: str,
        revision: int | Unset = UNSET,
        split: str | Unset = UNSET,
        asks: str | Unset = UNSET,
        seed: int | Unset = UNSET,
        label: str | Unset = UNSET,
        budget: float | Unset | None = UNSET,
        over: str | Unset = UNSET,
        options: dict[str, Any] | Unset = UNSET,
    ) -> shapes.RunDetailOut:
        """Run a system.

        Freezes the list of samples that are ready and queues the work; `left_out` says why others are not
        in it.
            system: the key of a system of the project, or a shipped one
            revision: the newest if absent
            asks: attributes by commas: only samples that ask for exactly these
            budget: it stops once its outputs have cost so much, in the currency of the system's price
            over: of a scorer, rewriter, ranker or judge: references, run:ID, contrastives, ...
            options: of a judge: question, answers, shows_source, shows_request

        POST projects/{slug}/runs/
        """
        return self._call_json(
            "POST",
            "projects/{slug}/runs/",
            path_values={"slug": slug},
            json={
                "system": system,
                "revision": revision,
                "split": split,
                "asks": asks,
                "seed": seed,
                "label": label,
                "budget": budget,
                "over": over,
                "options": options,
            },
        )

    def runs_upload(
        self,
        slug: str,
        /,
        *,
        file: FileLike,
        system: str | Unset = UNSET,
        name: str | Unset = UNSET,
        split: str | Unset = UNSET,
        label: str | Unset = UNSET,
    ) -> shapes.RunDetailOut:
        """Upload predictions.

        One JSON line per sample: `sample_id` or `position`, `prediction`, optional `system`, `candidates`,
        `scores`. All of it is stored or nothing; a refusal lists `faults` by line. The same file is the
        same run.

        POST projects/{slug}/runs/upload/
        """
        return self._call_json(
            "POST",
            "projects/{slug}/runs/upload/",
            path_values={"slug": slug},
            form={"file": file, "system": system, "name": name, "split": split, "label": label},
            files=("file",),
        )

    def samples_draw(
        self,
        slug: str,
        /,
        *,
        algorithm: Literal["uniform", "one-step", "macsum-release", "weighted", "balanced"] | Unset = UNSET,
        seed: int | Unset = UNSET,
        group_size: int | Unset = UNSET,
        no_topic_group: bool | Unset = UNSET,
        no_topic_size: int | Unset = UNSET,
        whole_groups: bool | Unset = UNSET,
        per_2000_words: float | Unset = UNSET,
        per_source: int | Unset = UNSET,
        more_writers: int | Unset = UNSET,
        more_share: float | Unset = UNSET,
        more_by: Literal["sample", "source"] | Unset = UNSET,
        most_samples: int | Unset = UNSET,
        most_hours: float | Unset = UNSET,
        most_money: float | Unset = UNSET,
        add: bool | Unset = UNSET,
    ) -> shapes.JobStarted:
        """Sample attributes.

        Starts a job; the same seed over the same sources draws the same.
            per_source: samples of every source, however long it is; not beside per_2000_words
            more_writers: annotators of the samples that more_share chooses
            more_share: per cent of the samples, chosen by the seed
            more_by: choose samples or whole sources
            most_samples: draw whole sources up to so many samples
            most_hours: the same in hours, at the project's minutes per summary
            most_money: the same in money, at the project's pay per hour
            add: draw for sources that have samples already, too

        POST projects/{slug}/samples/
        """
        return self._call_json(
            "POST",
            "projects/{slug}/samples/",
            path_values={"slug": slug},
            json={
                "algorithm": algorithm,
                "seed": seed,
                "group_size": group_size,
                "no_topic_group": no_topic_group,
                "no_topic_size": no_topic_size,
                "whole_groups": whole_groups,
                "per_2000_words": per_2000_words,
                "per_source": per_source,
                "more_writers": more_writers,
                "more_share": more_share,
                "more_by": more_by,
                "most_samples": most_samples,
                "most_hours": most_hours,
                "most_money": most_money,
                "add": add,
            },
        )

    def samples_dry_run(
        self,
        slug: str,
        /,
        *,
        algorithm: Literal["uniform", "one-step", "macsum-release", "weighted", "balanced"] | Unset = UNSET,
        seed: int | Unset = UNSET,
        group_size: int | Unset = UNSET,
        no_topic_group: bool | Unset = UNSET,
        no_topic_size: int | Unset = UNSET,
        whole_groups: bool | Unset = UNSET,
        per_2000_words: float | Unset = UNSET,
        per_source: int | Unset = UNSET,
        more_writers: int | Unset = UNSET,
        more_share: float | Unset = UNSET,
        more_by: Literal["sample", "source"] | Unset = UNSET,
        most_samples: int | Unset = UNSET,
        most_hours: float | Unset = UNSET,
        most_money: float | Unset = UNSET,
    ) -> shapes.DryRunOut:
        """Count what a draw will give.

        Stores nothing: counts per value and combination, a chi-square, pairs, writing time.
            per_source: samples of every source, however long it is; not beside per_2000_words
            more_writers: annotators of the samples that more_share chooses
            more_share: per cent of the samples, chosen by the seed
            more_by: choose samples or whole sources
            most_samples: draw whole sources up to so many samples
            most_hours: the same in hours, at the project's minutes per summary
            most_money: the same in money, at the project's pay per hour

        POST projects/{slug}/samples/dry-run/
        """
        return self._call_json(
            "POST",
            "projects/{slug}/samples/dry-run/",
            path_values={"slug": slug},
            json={
                "algorithm": algorithm,
                "seed": seed,
                "group_size": group_size,
                "no_topic_group": no_topic_group,
                "no_topic_size": no_topic_size,
                "whole_groups": whole_groups,
                "per_2000_words": per_2000_words,
                "per_source": per_source,
                "more_writers": more_writers,
                "more_share": more_share,
                "more_by": more_by,
                "most_samples": most_samples,
                "most_hours": most_hours,
                "most_money": most_money,
            },
        )

    def samples_list(
        self,
        slug: str,
        /,
        *,
        combination: str | Unset = UNSET,
        page_size: int | Unset = UNSET,
        q: str | Unset = UNSET,
        source: str | Unset = UNSET,
        state: Literal["active", "pilot", "void"] | Unset = UNSET,
    ) -> Iterator[shapes.SampleOut]:
        """List samples.

        The samples of a project.
            combination: such as snh
            page_size: 50 where not given, at most 200
            q: contained in the external id or the title of the source, in any case
            source: external id of the source

        GET projects/{slug}/samples/
        """
        return self._call_pages(
            "GET",
            "projects/{slug}/samples/",
            path_values={"slug": slug},
            query={"combination": combination, "page_size": page_size, "q": q, "source": source, "state": state},
        )

    def samples_outputs(self, public_id: str, /) -> list[shapes.SampleOutputOut]:
        """Outputs of a sample.

        Finished and failed ones, by system, newest run first.

        GET samples/{public_id}/outputs/
        """
        return self._call_json("GET", "samples/{public_id}/outputs/", path_values={"public_id": public_id})

    def schema_change(self, slug: str, /, *, text: str) -> shapes.SchemaOut:
        """Write the next version of the schema.

        201 the next version, for samples drawn from now on; 200 the newest one where the text is the same.

        POST projects/{slug}/schema/
        """
        return self._call_json("POST", "projects/{slug}/schema/", path_values={"slug": slug}, json={"text": text})

    def schema_read(self, slug: str, /, *, version: int | Unset = UNSET) -> shapes.SchemaOut:
        """Read the schema.

        The attribute schema.
            version: the newest where not given; older ones stay as they are

        GET projects/{slug}/schema/
        """
        return self._call_json("GET", "projects/{slug}/schema/", path_values={"slug": slug}, query={"version": version})

    def scores_start(self, slug: str, /) -> shapes.JobStarted:
        """Measure what has no scores.

        Starts a job; while one for the project waits or runs, names that one. Scores that are there stay.

        POST projects/{slug}/scores/
        """
        return self._call_json("POST", "projects/{slug}/scores/", path_values={"slug": slug})

    def selections_list(self, slug: str, /, *, page_size: int | Unset = UNSET) -> Iterator[shapes.SelectionOut]:
        """List selections.

        The recorded random selections of sources.
            page_size: 50 where not given, at most 200

        GET projects/{slug}/selections/
        """
        return self._call_pages(
            "GET", "projects/{slug}/selections/", path_values={"slug": slug}, query={"page_size": page_size}
        )

    def selections_make(self, slug: str, /, *, n: int, seed: int | Unset = UNSET) -> shapes.SelectionMadeOut:
        """Select sources at random.

        Keeps n undamaged sources for the work and sets the others aside; nothing is deleted.

        POST projects/{slug}/selections/
        """
        return self._call_json(
            "POST", "projects/{slug}/selections/", path_values={"slug": slug}, json={"n": n, "seed": seed}
        )

    def statistics_read(
        self,
        slug: str,
        /,
        *,
        origin: Literal["all", "imported", "people"] | Unset = UNSET,
        split: str | Unset = UNSET,
        state: Literal["accepted", "latest"] | Unset = UNSET,
    ) -> shapes.StatisticsOut:
        """Read the statistics.

        The newest stored numbers; nothing is computed by this call.
            origin: all where not given
            split: a split's name, - for sources without one; all if absent
            state: latest where not given

        GET projects/{slug}/statistics/
        """
        return self._call_json(
            "GET",
            "projects/{slug}/statistics/",
            path_values={"slug": slug},
            query={"origin": origin, "split": split, "state": state},
        )

    def statistics_start(self, slug: str, /) -> shapes.JobStarted:
        """Work the statistics out.

        Starts a job; while one waits or runs, that one.

        POST projects/{slug}/statistics/
        """
        return self._call_json("POST", "projects/{slug}/statistics/", path_values={"slug": slug})

    def steering_act(
        self,
        slug: str,
        /,
        *,
        kind: Literal["release", "void", "reassign", "reserve"],
        person: str,
        expect: int,
        to: str | Unset = UNSET,
        since: str | Unset | None = UNSET,
        until: str | Unset | None = UNSET,
        n: int | Unset = UNSET,
        days: int | Unset = UNSET,
    ) -> shapes.BulkOut:
        """Act on many tasks.

        409 (code changed) where it is about another number of attempts than `expect` says.
            person: account: whose tasks; for reserve, who is to get places
            to: reassign: who gets the tasks
            since: void: first day
            until: void: last day
            days: places are kept
            expect: the number of attempts that the preview reported

        POST projects/{slug}/steering/
        """
        return self._call_json(
            "POST",
            "projects/{slug}/steering/",
            path_values={"slug": slug},
            json={
                "kind": kind,
                "person": person,
                "to": to,
                "since": since,
                "until": until,
                "n": n,
                "days": days,
                "expect": expect,
            },
        )

    def steering_list(self, slug: str, /, *, page_size: int | Unset = UNSET) -> Iterator[shapes.BulkOut]:
        """List what was done.

        Actions on many tasks.
            page_size: 50 where not given, at most 200

        GET projects/{slug}/steering/
        """
        return self._call_pages(
            "GET", "projects/{slug}/steering/", path_values={"slug": slug}, query={"page_size": page_size}
        )

    def steering_preview(
        self,
        slug: str,
        /,
        *,
        kind: Literal["release", "void", "reassign", "reserve"],
        person: str,
        to: str | Unset = UNSET,
        since: str | Unset | None = UNSET,
        until: str | Unset | None = UNSET,
        n: int | Unset = UNSET,
        days: int | Unset = UNSET,
    ) -> shapes.BulkPreviewOut:
        """Look before acting.

        What an action would touch.
            person: account: whose tasks; for reserve, who is to get places
            to: reassign: who gets the tasks
            since: void: first day
            until: void: last day
            days: places are kept

        POST projects/{slug}/steering/preview/
        """
        return self._call_json(
            "POST",
            "projects/{slug}/steering/preview/",
            path_values={"slug": slug},
            json={"kind": kind, "person": person, "to": to, "since": since, "until": until, "n": n, "days": days},
        )

    def steering_undo(self, public_id: str, /) -> shapes.UndoneOut:
        """Undo an action.

        Gives every attempt its state back whose place nobody has taken since.

        POST steering/{public_id}/undo/
        """
        return self._call_json("POST", "steering/{public_id}/undo/", path_values={"public_id": public_id})

    def systems_list(self, slug: str, /, *, page_size: int | Unset = UNSET) -> Iterator[shapes.SystemOut]:
        """List systems.

        The systems of a project.
            page_size: 50 where not given, at most 200

        GET projects/{slug}/systems/
        """
        return self._call_pages(
            "GET", "projects/{slug}/systems/", path_values={"slug": slug}, query={"page_size": page_size}
        )

    def systems_read(self, public_id: str, /) -> shapes.SystemDetailOut:
        """Read a system.

        One system.

        GET systems/{public_id}/
        """
        return self._call_json("GET", "systems/{public_id}/", path_values={"public_id": public_id})

    def systems_register(
        self, slug: str, /, *, toml: str | Unset = UNSET, shipped: str | Unset = UNSET
    ) -> shapes.RegisteredOut:
        """Register or revise a system.

        From TOML; a known key with another text makes the next revision, the same text gives the one there
        is.
            toml: a configuration
            shipped: the key of a shipped configuration

        POST projects/{slug}/systems/
        """
        return self._call_json(
            "POST", "projects/{slug}/systems/", path_values={"slug": slug}, json={"toml": toml, "shipped": shipped}
        )

    def tables_read(
        self,
        slug: str,
        /,
        *,
        alone_focus: str | Unset = UNSET,
        alone_keywords: str | Unset = UNSET,
        alone_length: str | Unset = UNSET,
        alone_readability: str | Unset = UNSET,
        run: list[str] | Unset = UNSET,
        together: str | Unset = UNSET,
    ) -> shapes.TablesOut:
        """Read the tables of runs.

        The tables of the page *Tables*: automatic scores, CCSBench's Tables 3 and 4, errors per requested
        value. Nothing is computed or started by this call. 200 with the stored tables, also with outdated
        ones; 202 with Retry-After while there are none and their job waits or runs; 409 where it has to be
        started.
            alone_focus: trained on it alone
            alone_keywords: trained on it alone
            alone_length: trained on it alone
            alone_readability: trained on it alone
            run: finished runs, up to 8; default: the newest 4
            together: for CCSBench's Table 4: trained on all

        GET projects/{slug}/tables/
        """
        return self._call_json(
            "GET",
            "projects/{slug}/tables/",
            path_values={"slug": slug},
            query={
                "alone_focus": alone_focus,
                "alone_keywords": alone_keywords,
                "alone_length": alone_length,
                "alone_readability": alone_readability,
                "run": run,
                "together": together,
            },
        )

    def tables_start(
        self,
        slug: str,
        /,
        *,
        alone_focus: str | Unset = UNSET,
        alone_keywords: str | Unset = UNSET,
        alone_length: str | Unset = UNSET,
        alone_readability: str | Unset = UNSET,
        run: list[str] | Unset = UNSET,
        together: str | Unset = UNSET,
    ) -> shapes.TablesOut:
        """Have the tables of runs calculated.

        200 with the tables where they are stored and current. Otherwise 202 with the job, which this call
        starts unless it waits or runs already, and Retry-After; ask by GET then.
            alone_focus: trained on it alone
            alone_keywords: trained on it alone
            alone_length: trained on it alone
            alone_readability: trained on it alone
            run: finished runs, up to 8; default: the newest 4
            together: for CCSBench's Table 4: trained on all

        POST projects/{slug}/tables/
        """
        return self._call_json(
            "POST",
            "projects/{slug}/tables/",
            path_values={"slug": slug},
            query={
                "alone_focus": alone_focus,
                "alone_keywords": alone_keywords,
                "alone_length": alone_length,
                "alone_readability": alone_readability,
                "run": run,
                "together": together,
            },
        )

    def tokens_list(self, *, page_size: int | Unset = UNSET) -> Iterator[shapes.TokenOut]:
        """My tokens.

        One's own tokens.
            page_size: 50 where not given, at most 200

        GET tokens/
        """
        return self._call_pages("GET", "tokens/", query={"page_size": page_size})

    def tokens_make(
        self, *, name: str, scope: Literal["read", "write"] | Unset = UNSET, days: int | Unset = UNSET
    ) -> shapes.TokenMade:
        """Make a token.

        With the browser's session only: a token cannot make another one.

        POST tokens/
        """
        return self._call_json("POST", "tokens/", json={"name": name, "scope": scope, "days": days})

    def tokens_revoke(self, public_id: str, /) -> None:
        """Revoke a token.

        One's own; site admins revoke anybody's.

        DELETE tokens/{public_id}/
        """
        self._call_nothing("DELETE", "tokens/{public_id}/", path_values={"public_id": public_id})

    def training_groups_cancel(self, public_id: str, /) -> shapes.TrainingGroupDetailOut:
        """Cancel a grid.

        Cancels the trainings that wait or run; those that have ended stay as they are.

        POST training-groups/{public_id}/cancel/
        """
        return self._call_json("POST", "training-groups/{public_id}/cancel/", path_values={"public_id": public_id})

    def training_groups_list(
        self, slug: str, /, *, page_size: int | Unset = UNSET
    ) -> Iterator[shapes.TrainingGroupOut]:
        """List grids of trainings.

        The grids of a project.
            page_size: 50 where not given, at most 200

        GET projects/{slug}/training-groups/
        """
        return self._call_pages(
            "GET", "projects/{slug}/training-groups/", path_values={"slug": slug}, query={"page_size": page_size}
        )

    def training_groups_read(self, public_id: str, /) -> shapes.TrainingGroupDetailOut:
        """Read a grid.

        One grid.

        GET training-groups/{public_id}/
        """
        return self._call_json("GET", "training-groups/{public_id}/", path_values={"public_id": public_id})

    def training_groups_start(
        self, slug: str, /, *, grid: list[str], toml: str | Unset = UNSET, shipped: str | Unset = UNSET
    ) -> shapes.TrainingGroupDetailOut:
        """Train a grid.

        Queues one training for every combination of the settings; all of them or none.
            toml: a configuration of a training
            shipped: the key of a shipped configuration
            grid: one setting each with its values, such as learning_rate=1e-5,3e-5

        POST projects/{slug}/training-groups/
        """
        return self._call_json(
            "POST",
            "projects/{slug}/training-groups/",
            path_values={"slug": slug},
            json={"toml": toml, "shipped": shipped, "grid": grid},
        )

    def trainings_cancel(self, public_id: str, /) -> shapes.TrainingDetailOut:
        """Cancel a training.

        Checkpoints are kept; 409 when it has ended.

        POST trainings/{public_id}/cancel/
        """
        return self._call_json("POST", "trainings/{public_id}/cancel/", path_values={"public_id": public_id})

    def trainings_list(
        self,
        slug: str,
        /,
        *,
        page_size: int | Unset = UNSET,
        state: Literal["cancelled", "done", "failed", "queued", "running"] | Unset = UNSET,
    ) -> Iterator[shapes.TrainingOut]:
        """List trainings.

        The trainings of a project.
            page_size: 50 where not given, at most 200

        GET projects/{slug}/trainings/
        """
        return self._call_pages(
            "GET",
            "projects/{slug}/trainings/",
            path_values={"slug": slug},
            query={"page_size": page_size, "state": state},
        )

    def trainings_read(self, public_id: str, /) -> shapes.TrainingDetailOut:
        """Read a training.

        One training.

        GET trainings/{public_id}/
        """
        return self._call_json("GET", "trainings/{public_id}/", path_values={"public_id": public_id})

    def trainings_resume(self, public_id: str, /) -> shapes.TrainingDetailOut:
        """Resume a training.

        From its last checkpoint; 409 unless it failed or was cancelled.

        POST trainings/{public_id}/resume/
        """
        return self._call_json("POST", "trainings/{public_id}/resume/", path_values={"public_id": public_id})

    def trainings_start(
        self, slug: str, /, *, toml: str | Unset = UNSET, shipped: str | Unset = UNSET
    ) -> shapes.TrainingDetailOut:
        """Train a system.

        Queues a training on the project's human summaries, or on its newest ranking lists. 409 while one of
        the same key is under way.
            toml: a configuration of a training
            shipped: the key of a shipped configuration

        POST projects/{slug}/trainings/
        """
        return self._call_json(
            "POST", "projects/{slug}/trainings/", path_values={"slug": slug}, json={"toml": toml, "shipped": shipped}
        )

    def webhook_change(
        self,
        public_id: str,
        /,
        *,
        url: str | Unset = UNSET,
        events: list[Literal["annotation.submitted", "run.done", "round.closed", "export.ready"]] | Unset = UNSET,
        paused: bool | Unset = UNSET,
    ) -> shapes.WebhookOut:
        """Change or pause a webhook.

        A paused webhook misses what happens meanwhile; what waited before is sent when it is resumed.

        PATCH webhooks/{public_id}/
        """
        return self._call_json(
            "PATCH",
            "webhooks/{public_id}/",
            path_values={"public_id": public_id},
            json={"url": url, "events": events, "paused": paused},
        )

    def webhook_delete(self, public_id: str, /) -> None:
        """Delete a webhook.

        With its log and what waits to be sent.

        DELETE webhooks/{public_id}/
        """
        self._call_nothing("DELETE", "webhooks/{public_id}/", path_values={"public_id": public_id})

    def webhook_deliveries_list(
        self, public_id: str, /, *, page_size: int | Unset = UNSET
    ) -> Iterator[shapes.WebhookDeliveryOut]:
        """List the deliveries of a webhook.

        The last hundred, and all that wait.
            page_size: 50 where not given, at most 200

        GET webhooks/{public_id}/deliveries/
        """
        return self._call_pages(
            "GET",
            "webhooks/{public_id}/deliveries/",
            path_values={"public_id": public_id},
            query={"page_size": page_size},
        )

    def webhook_read(self, public_id: str, /) -> shapes.WebhookOut:
        """Read a webhook.

        One webhook.

        GET webhooks/{public_id}/
        """
        return self._call_json("GET", "webhooks/{public_id}/", path_values={"public_id": public_id})

    def webhook_secret(self, public_id: str, /) -> shapes.SecretMade:
        """Replace the secret of a webhook.

        The new one is shown once and signs every delivery from now on, also those that wait.

        POST webhooks/{public_id}/secret/
        """
        return self._call_json("POST", "webhooks/{public_id}/secret/", path_values={"public_id": public_id})

    def webhook_test(self, public_id: str, /) -> shapes.WebhookDeliveryOut:
        """Send a test.

        Tried once; the result is in the log.

        POST webhooks/{public_id}/test/
        """
        return self._call_json("POST", "webhooks/{public_id}/test/", path_values={"public_id": public_id})

    def webhooks_create(
        self,
        slug: str,
        /,
        *,
        url: str,
        events: list[Literal["annotation.submitted", "run.done", "round.closed", "export.ready"]] | Unset = UNSET,
    ) -> shapes.WebhookMade:
        """Create a webhook.

        The secret that signs its deliveries is shown once.
            url: of a host in EPITOME_WEBHOOK_HOSTS
            events: all where not given

        POST projects/{slug}/webhooks/
        """
        return self._call_json(
            "POST", "projects/{slug}/webhooks/", path_values={"slug": slug}, json={"url": url, "events": events}
        )

    def webhooks_list(self, slug: str, /, *, page_size: int | Unset = UNSET) -> Iterator[shapes.WebhookOut]:
        """List webhooks.

        The webhooks of a project.
            page_size: 50 where not given, at most 200

        GET projects/{slug}/webhooks/
        """
        return self._call_pages(
            "GET", "projects/{slug}/webhooks/", path_values={"slug": slug}, query={"page_size": page_size}
        )

    def withdrawals_list(self, slug: str, /, *, page_size: int | Unset = UNSET) -> Iterator[shapes.WithdrawalOut]:
        """List withdrawals.

        What was withdrawn.
            page_size: 50 where not given, at most 200

        GET projects/{slug}/withdrawals/
        """
        return self._call_pages(
            "GET", "projects/{slug}/withdrawals/", path_values={"slug": slug}, query={"page_size": page_size}
        )

    def withdrawals_make(
        self,
        slug: str,
        /,
        *,
        person: str,
        expect: int,
        remove_texts: bool | Unset = UNSET,
        mask_name: bool | Unset = UNSET,
        leave_out: bool | Unset = UNSET,
        reopen: bool | Unset = UNSET,
    ) -> shapes.WithdrawalOut:
        """Withdraw a person's work.

        It cannot be undone. 409 (code changed) where the preview would show another total by now.
            person: account
            leave_out: of exports
            reopen: offer the places to others
            expect: `total` of the preview

        POST projects/{slug}/withdrawals/
        """
        return self._call_json(
            "POST",
            "projects/{slug}/withdrawals/",
            path_values={"slug": slug},
            json={
                "person": person,
                "remove_texts": remove_texts,
                "mask_name": mask_name,
                "leave_out": leave_out,
                "reopen": reopen,
                "expect": expect,
            },
        )

    def withdrawals_preview(
        self,
        slug: str,
        /,
        *,
        person: str,
        remove_texts: bool | Unset = UNSET,
        mask_name: bool | Unset = UNSET,
        leave_out: bool | Unset = UNSET,
        reopen: bool | Unset = UNSET,
    ) -> shapes.WithdrawalPreviewOut:
        """Look before withdrawing.

        What a withdrawal would do.
            person: account
            leave_out: of exports
            reopen: offer the places to others

        POST projects/{slug}/withdrawals/preview/
        """
        return self._call_json(
            "POST",
            "projects/{slug}/withdrawals/preview/",
            path_values={"slug": slug},
            json={
                "person": person,
                "remove_texts": remove_texts,
                "mask_name": mask_name,
                "leave_out": leave_out,
                "reopen": reopen,
            },
        )
