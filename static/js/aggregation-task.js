// The annotator's page of tasks that name several entities by one phrase.
import { AggregationPage } from "./aggregation-page.js";
import { showTasks } from "./task-sequence.js";

await showTasks(AggregationPage);
