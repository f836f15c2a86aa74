# SPDX-License-Identifier: BSD-3-Clause
"""`--history`: the commands that made a file."""

from table_case import TableCase

from gpz_reference.xxh3 import xxh3_64  # found by table_case


class History(TableCase):
    def history(self, name):
        return self.gpz("info", name, "--history", out=None).decode()

    def test_from_command_to_command(self):
        """Each command adds its line; folders are left out, and digests are those of the inputs."""
        program = self.gpz("--version", out=None).decode().split(" (")[0]
        self.gpz("encode", self.path("t.dump"), "-o", "a.gpz", "--eb", "0.001", "--history")
        digest = xxh3_64(self.read("t.dump"))
        first = f"  1  {program}: gpz encode t.dump -o a.gpz --eb 0.001 --history\n     from t.dump xxh3:{digest:016x}\n"
        self.assertEqual(self.history("a.gpz"), first)
        # A file without a history, then commands that keep what is there.
        self.gpz("info", "plain.gpz", "--history", code=2, err="plain.gpz: has no history (gpz encode --history)")
        self.gpz("select", "a.gpz", "-o", "s.gpz", "--frames", "1:", out=None)
        digest = xxh3_64(self.read("a.gpz"))
        second = f"  2  {program}: gpz select a.gpz -o s.gpz --frames 1:\n     from a.gpz xxh3:{digest:016x}\n"
        self.assertEqual(self.history("s.gpz"), first + second)
        self.gpz("cat", "s.gpz", "plain.gpz", "-o", "c.gpz", "--keep", "first", out=None)
        lines = self.history("c.gpz")
        self.assertTrue(lines.startswith(first + second))
        self.assertEqual(lines.count(": gpz cat s.gpz plain.gpz -o c.gpz"), 2)
        self.gpz("encode", "c.gpz", "-o", "e.gpz")
        self.assertTrue(self.history("e.gpz").startswith(lines))
        self.gpz("verify", "e.gpz", out=None)
        # Without the option, and without a history before, there is none: the same input gives the same bytes.
        self.gpz("encode", "t.dump", "-o", "b.gpz", "--eb", "0.001", "--units", "real", "--threads", "1")
        self.assertEqual(self.read("b.gpz"), self.read("plain.gpz"))

    def test_of_a_pipe(self):
        self.gpz("encode", "-", "-o", "a.gpz", "--eb", "0.001", "--history", stdin=self.read("t.dump"))
        self.assertTrue(self.history("a.gpz").endswith(": gpz encode - -o a.gpz --eb 0.001 --history\n     from -\n"))
