// A finding of doctor.

/** One thing that was looked at. A note is no fault, but worth knowing. */
export interface Check {
  readonly name: string;
  readonly state: 'ok' | 'note' | 'wrong';
  readonly says: string;
  readonly action?: string;
}
