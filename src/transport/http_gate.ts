// Who may run now (design 7, load): so many at once in all and of one tenant, the rest in line, tenants in turn.

/** Bounds of what runs and of what waits. */
export interface GateLimits {
  readonly running: number;
  readonly runningOfTenant: number;
  readonly waiting: number;
  readonly waitingOfTenant: number;
  /** How long anybody waits. */
  readonly waitMs: number;
}

/** A place of whoever runs. */
export interface Ticket {
  /** Gives the place back; safe to call twice. */
  leave(): void;
  /** Lends the place out, while a person is asked. */
  pause(): void;
  /** Takes it back at once, even where that is one too many. */
  resume(): void;
}

/** Why nobody was let in: the tenant or the server has enough to do, or whoever asked has gone. */
export type Refused = 'tenant_busy' | 'server_busy' | 'gone';

/** Lets requests in. */
export interface Gate {
  /** `weight`: how many requests come at once; counted up to what a tenant may run at all. */
  enter(tenant: string, weight: number, signal: AbortSignal): Promise<Ticket | Refused>;
  /** Requests that run and that wait. */
  counts(): { readonly running: number; readonly waiting: number };
}

interface Waiting {
  readonly weight: number;
  admit(ticket: Ticket): void;
}

interface Line {
  running: number;
  readonly waiting: Waiting[];
}

/**
 * Lets one after the other begin, each in a round of the process's own loop. A new connection is taken in one a round: where
 * all that came in at once were begun together, and the database computes in this process, others would wait outside for as
 * long as all of them take.
 */
export function createTurns(): () => Promise<void> {
  let last = Promise.resolve();
  const round = () => new Promise<void>((resolve) => void setImmediate(resolve));
  return () => (last = last.then(round));
}

/** A gate with nobody in it. */
export function createGate(limits: GateLimits): Gate {
  // In the order of turns: whoever was let in goes to the end.
  const lines = new Map<string, Line>();
  let running = 0;
  let waiting = 0;

  const lineOf = (tenant: string): Line => {
    const line = lines.get(tenant) ?? { running: 0, waiting: [] };
    lines.set(tenant, line);
    return line;
  };
  const forget = (tenant: string): void => {
    const line = lines.get(tenant);
    if (line?.running === 0 && line.waiting.length === 0) lines.delete(tenant);
  };
  const count = (tenant: string, change: number): void => {
    lineOf(tenant).running += change;
    running += change;
    forget(tenant);
  };
  const hasRoom = (line: Line, weight: number): boolean =>
    line.running + weight <= limits.runningOfTenant && running + weight <= limits.running;
  const take = (tenant: string, weight: number): Ticket => {
    count(tenant, weight);
    return ticketFor((isHeld) => {
      count(tenant, isHeld ? weight : -weight);
      if (!isHeld) callNext();
    });
  };
  // Whoever is let in is looked at again after all others, so that tenants are served in turn while there is room.
  const callNext = (): void => {
    for (const [tenant, line] of lines) {
      const [first] = line.waiting;
      if (first === undefined || !hasRoom(line, first.weight)) continue;
      line.waiting.shift();
      lines.delete(tenant);
      lines.set(tenant, line);
      first.admit(take(tenant, first.weight));
    }
  };
  return {
    counts: () => ({ running, waiting }),
    async enter(tenant, given, signal) {
      if (signal.aborted) return 'gone';
      const weight = Math.min(given, limits.runningOfTenant);
      const line = lineOf(tenant);
      if (line.waiting.length === 0 && hasRoom(line, weight)) return take(tenant, weight);
      if (line.waiting.length >= limits.waitingOfTenant) return 'tenant_busy';
      if (waiting >= limits.waiting) {
        forget(tenant);
        return 'server_busy';
      }
      waiting += 1;
      try {
        return await inLine(line, { weight, signal, waitMs: limits.waitMs });
      } finally {
        waiting -= 1;
        forget(tenant);
      }
    },
  };
}

/** A place that is held; `change` is told when it is given back, lent or taken again. */
function ticketFor(change: (isHeld: boolean) => void): Ticket {
  let isHeld = true;
  let isOver = false;
  const pause = () => {
    if (isHeld) change((isHeld = false));
  };
  return {
    pause,
    leave() {
      isOver = true;
      pause();
    },
    resume() {
      if (!isHeld && !isOver) change((isHeld = true));
    },
  };
}

/** Waits for a turn, for so long at most. */
function inLine(
  line: Line,
  bounds: { readonly weight: number; readonly signal: AbortSignal; readonly waitMs: number },
): Promise<Ticket | Refused> {
  const { weight, signal, waitMs } = bounds;
  return new Promise((resolve) => {
    const end = (outcome: Ticket | Refused) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
      const place = line.waiting.indexOf(waiting);
      if (place >= 0) line.waiting.splice(place, 1);
      resolve(outcome);
    };
    const leave = () => end('gone');
    const waiting: Waiting = { weight, admit: end };
    const timer = setTimeout(() => end('server_busy'), waitMs);
    signal.addEventListener('abort', leave, { once: true });
    line.waiting.push(waiting);
  });
}
