// The annotator's page of tasks with a source and steps.
import { TaskPage } from "./task-page.js";
import { showTasks } from "./task-sequence.js";

await showTasks(TaskPage);
