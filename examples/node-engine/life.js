/**
 * The life of one engine process. What was awaited when it ended never comes back, so that nothing of a killed
 * engine writes any more, just as if the process were gone.
 */
export class Life {
  over = false;
  #lastWords = [];

  guard(promise) {
    const never = () => new Promise(() => {});
    return promise.then(
      (value) => (this.over ? never() : value),
      (error) => {
        if (this.over) return never();
        throw error;
      },
    );
  }

  atEnd(act) {
    this.#lastWords.push(act);
  }

  end() {
    this.over = true;
    for (const act of this.#lastWords.splice(0)) act();
  }
}
