// Whether somebody is at work here: the seconds that count, and the reservation they keep.
"use strict";

const Presence = (() => {
  const IDLE_AFTER = 60_000, BEAT = 30_000;
  let lastSeen = performance.now(), watching = document.visibilityState === "visible", active = 0, ends = null, length = 0;

  const form = () => document.querySelector("form.work");
  const place = () => document.getElementById("lease-state");
  const slot = () => `stepmark:active:${form().dataset.user}:${form().dataset.solution}`;
  const now = () => performance.now();

  const count = () => {
    if (watching && now() - lastSeen < IDLE_AFTER) active += now() - lastSeen;
    lastSeen = now();
    watching = document.visibilityState === "visible";
    if (form()) try { sessionStorage.setItem(slot(), active); } catch { /* then a reload starts to count anew */ }
  };
  for (const kind of ["keydown", "pointermove", "pointerdown", "wheel", "scroll"]) document.addEventListener(kind, count, { passive: true, capture: true });
  document.addEventListener("visibilitychange", count);

  const show = () => {
    if (!place() || ends === null) return;
    const left = ends - Date.now(), soon = left < Math.min(300_000, length / 3);
    const words = left <= 0 ? place().dataset.gone : `${soon ? place().dataset.soon : place().dataset.reserved} ${place().dataset.until}`;
    place().className = left <= 0 ? "tag pen" : soon ? "tag warn" : "muted";
    if (place().textContent !== words) place().textContent = words;
  };
  const leased = (lease) => {
    if (!place() || lease === undefined) return;
    ends = lease ? Date.now() + lease.seconds * 1000 : 0;
    if (lease) place().dataset.until = lease.until;
    show();
  };
  const beat = async () => {
    show();
    const own = form();
    if (!own || !place() || now() - lastSeen > IDLE_AFTER || document.visibilityState !== "visible") return;
    try {
      const response = await Drafts.post(own.dataset.lease, "");
      if (form() === own && response.ok && !response.redirected) leased((await response.json()).lease);
    } catch { /* the next beat tries again */ }
  };
  setInterval(beat, BEAT);

  return {
    leased,
    seconds: () => { count(); return Math.round(active / 1000); },
    begin: (same) => {
      lastSeen = now();
      if (!form()) return;
      if (!same) active = Number(sessionStorage.getItem(slot())) || 0;
      length = Number(place()?.dataset.minutes) * 60_000;
      ends = place()?.dataset.ends ? Date.parse(place().dataset.ends) : null;
      show();
    },
    end: () => { try { sessionStorage.removeItem(slot()); } catch { /* nothing was kept */ } },
  };
})();
