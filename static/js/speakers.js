// Whose words a summary repeats: how many of its copied runs stand in turns of each speaker that was asked for.

export const speakerRuns = (runs, segments, speakers) =>
  speakers.map((speaker) => ({
    speaker,
    runs: runs.filter((run) => run.places.some((place) => segments[place.segment]?.speaker === speaker)).length,
  }));
