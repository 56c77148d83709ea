// A limit, and what it met; as callbacks and results tell it.

export interface Breach {
  metric: string;
  value: number;
  limit: number;
}
