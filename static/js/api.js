// The only way from the task page to the server. An answer says plainly what happened: `ok` is true after 2xx alone.

export const SESSION = "session",
  STALE = "stale",
  CONFLICT = "conflict",
  REFUSED = "refused";
export const OFFLINE = "offline",
  BROKEN = "broken",
  OK = "ok";

export function kindOf(status, data) {
  if (status >= 200 && status < 300) return data === undefined ? BROKEN : OK;
  if (status === 403 && data?.code === "gate") return REFUSED; // the guideline is to be read, the session is fine
  if (status === 401 || status === 403) return SESSION;
  if (status === 409) return data?.code === "stale" ? STALE : CONFLICT;
  if (status === 408 || status === 429 || status >= 500) return BROKEN;
  if (status >= 400) return data === undefined ? BROKEN : REFUSED;
  return BROKEN;
}

// call(method, url, body, headers) -> {ok, kind, status, data, after}; never throws. `after`: seconds the server asks
// for.
export function createApi({ fetch, csrf, timeout = 20000 }) {
  return async function call(method, url, body, headers = {}) {
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), timeout);
    const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
    try {
      const answer = await fetch(url, {
        method,
        body: text,
        credentials: "same-origin",
        redirect: "error",
        signal: stop.signal,
        keepalive: text !== undefined && text.length < 20000,
        headers: { "Content-Type": "application/json", Accept: "application/json", "X-CSRFToken": csrf(), ...headers },
      });
      const data = await answer.json().catch(() => (answer.status === 204 ? null : undefined));
      const kind = kindOf(answer.status, data);
      const after = Number(answer.headers?.get("Retry-After")) || 0;
      return { ok: kind === OK, kind, status: answer.status, data, after };
    } catch (error) {
      return { ok: false, kind: error instanceof SyntaxError ? BROKEN : OFFLINE, status: 0, data: undefined, after: 0 };
    } finally {
      clearTimeout(timer);
    }
  };
}

export function cookie(all, name) {
  for (const part of all.split(";")) {
    const [key, ...value] = part.trim().split("=");
    if (key === name) return decodeURIComponent(value.join("="));
  }
  return "";
}

// The key of a submit: made once for an assignment and a body, so that a retry is recognised as the same submit.
export function submitKey(store, assignment, body, random) {
  const place = `epitome-submit:${assignment}`;
  const held = store.read(place);
  if (held && held.body === body) return held.key;
  const key = random();
  store.write(place, { key, body });
  return key;
}

// JSON in localStorage; a browser that keeps nothing is no reason to stop.
export function createStore(storage) {
  return {
    read(name) {
      try {
        return JSON.parse(storage().getItem(name));
      } catch {
        return null;
      }
    },
    write(name, value) {
      try {
        storage().setItem(name, JSON.stringify(value));
        return true;
      } catch {
        return false;
      }
    },
    names(start) {
      try {
        return Object.keys(storage()).filter((name) => name.startsWith(start));
      } catch {
        return [];
      }
    },
    remove(name) {
      try {
        storage().removeItem(name);
      } catch {
        /* nothing was kept */
      }
    },
  };
}
