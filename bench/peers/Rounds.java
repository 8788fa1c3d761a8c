import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.Map;

/**
 * OpenJDK as a peer process: runs programs on command, one a line (bench/README.md has the protocol), and
 * answers with check values and with CPU time of its thread.
 *
 * Each program is called from a loop of its own, so that none pays for another's call.
 */
public final class Rounds {
    private static final int CHECKED = 100;
    private static final int SWEEP = 16;

    private interface Program {
        void init();

        /** Returns the fold of the results of {@code sweeps} times the first arguments 0 to {@code to - 1}. */
        int fold(int sweeps, int to, int b);
    }

    private static final Map<String, Program> PROGRAMS = new HashMap<>();

    static {
        PROGRAMS.put("nullcall", new OfKernels() {
            public int fold(int sweeps, int to, int b) {
                int h = 0;
                for (int s = 0; s < sweeps; s++) {
                    for (int a = 0; a < to; a++) {
                        h = h * 31 + Kernels.nullcall(a, b);
                    }
                }
                return h;
            }
        });
        PROGRAMS.put("checksum", new OfKernels() {
            public int fold(int sweeps, int to, int b) {
                int h = 0;
                for (int s = 0; s < sweeps; s++) {
                    for (int a = 0; a < to; a++) {
                        h = h * 31 + Kernels.checksum(a, b);
                    }
                }
                return h;
            }
        });
        PROGRAMS.put("crc32", new OfKernels() {
            public int fold(int sweeps, int to, int b) {
                int h = 0;
                for (int s = 0; s < sweeps; s++) {
                    for (int a = 0; a < to; a++) {
                        h = h * 31 + Kernels.crc32(a, b);
                    }
                }
                return h;
            }
        });
        PROGRAMS.put("crc32t", new OfKernels() {
            public int fold(int sweeps, int to, int b) {
                int h = 0;
                for (int s = 0; s < sweeps; s++) {
                    for (int a = 0; a < to; a++) {
                        h = h * 31 + Kernels.crc32t(a, b);
                    }
                }
                return h;
            }
        });
        PROGRAMS.put("sieve", new OfKernels() {
            public int fold(int sweeps, int to, int b) {
                int h = 0;
                for (int s = 0; s < sweeps; s++) {
                    for (int a = 0; a < to; a++) {
                        h = h * 31 + Kernels.sieve(a, b);
                    }
                }
                return h;
            }
        });
        PROGRAMS.put("fib", new OfKernels() {
            public int fold(int sweeps, int to, int b) {
                int h = 0;
                for (int s = 0; s < sweeps; s++) {
                    for (int a = 0; a < to; a++) {
                        h = h * 31 + Kernels.fib(a, b);
                    }
                }
                return h;
            }
        });
        PROGRAMS.put("fwd", new OfKernels() {
            public int fold(int sweeps, int to, int b) {
                int h = 0;
                for (int s = 0; s < sweeps; s++) {
                    for (int a = 0; a < to; a++) {
                        h = h * 31 + Kernels.fwd(a, b);
                    }
                }
                return h;
            }
        });
        PROGRAMS.put("sort", new OfKernels() {
            public int fold(int sweeps, int to, int b) {
                int h = 0;
                for (int s = 0; s < sweeps; s++) {
                    for (int a = 0; a < to; a++) {
                        h = h * 31 + Kernels.sort(a, b);
                    }
                }
                return h;
            }
        });
        PROGRAMS.put("cobs", new Program() {
            public void init() {
                Cobs.init(0, 0);
            }

            public int fold(int sweeps, int to, int b) {
                int h = 0;
                for (int s = 0; s < sweeps; s++) {
                    for (int a = 0; a < to; a++) {
                        h = h * 31 + Cobs.run(a, b);
                    }
                }
                return h;
            }
        });
        PROGRAMS.put("unpack", new Program() {
            public void init() {
                Unpack.init(0, 0);
            }

            public int fold(int sweeps, int to, int b) {
                int h = 0;
                for (int s = 0; s < sweeps; s++) {
                    for (int a = 0; a < to; a++) {
                        h = h * 31 + Unpack.run(a, b);
                    }
                }
                return h;
            }
        });
        PROGRAMS.put("halfsip", new Program() {
            public void init() {
                HalfSip.init(0, 0);
            }

            public int fold(int sweeps, int to, int b) {
                int h = 0;
                for (int s = 0; s < sweeps; s++) {
                    for (int a = 0; a < to; a++) {
                        h = h * 31 + HalfSip.run(a, b);
                    }
                }
                return h;
            }
        });
        PROGRAMS.put("flowtable", new Program() {
            public void init() {
                FlowTable.init(0, 0);
            }

            public int fold(int sweeps, int to, int b) {
                int h = 0;
                for (int s = 0; s < sweeps; s++) {
                    for (int a = 0; a < to; a++) {
                        h = h * 31 + FlowTable.run(a, b);
                    }
                }
                return h;
            }
        });
        PROGRAMS.put("horspool", new Program() {
            public void init() {
                Horspool.init(0, 0);
            }

            public int fold(int sweeps, int to, int b) {
                int h = 0;
                for (int s = 0; s < sweeps; s++) {
                    for (int a = 0; a < to; a++) {
                        h = h * 31 + Horspool.run(a, b);
                    }
                }
                return h;
            }
        });
        PROGRAMS.put("filter", new Program() {
            public void init() {
                Filter.init(0, 0);
            }

            public int fold(int sweeps, int to, int b) {
                int h = 0;
                for (int s = 0; s < sweeps; s++) {
                    for (int a = 0; a < to; a++) {
                        h = h * 31 + Filter.run(a, b);
                    }
                }
                return h;
            }
        });
        PROGRAMS.put("scheduler", new Program() {
            public void init() {
                new Scheduler();
                Scheduler.init(0, 0);
            }

            public int fold(int sweeps, int to, int b) {
                int h = 0;
                for (int s = 0; s < sweeps; s++) {
                    for (int a = 0; a < to; a++) {
                        h = h * 31 + Scheduler.run(a, b);
                    }
                }
                return h;
            }
        });
        PROGRAMS.put("tokens", new Program() {
            public void init() {
                Tokens.init(0, 0);
            }

            public int fold(int sweeps, int to, int b) {
                int h = 0;
                for (int s = 0; s < sweeps; s++) {
                    for (int a = 0; a < to; a++) {
                        h = h * 31 + Tokens.run(a, b);
                    }
                }
                return h;
            }
        });
        PROGRAMS.put("divisors", new Program() {
            public void init() {
                Divisors.init(0, 0);
            }

            public int fold(int sweeps, int to, int b) {
                int h = 0;
                for (int s = 0; s < sweeps; s++) {
                    for (int a = 0; a < to; a++) {
                        h = h * 31 + Divisors.run(a, b);
                    }
                }
                return h;
            }
        });
        PROGRAMS.put("base64", new Program() {
            public void init() {
                Base64.init(0, 0);
            }

            public int fold(int sweeps, int to, int b) {
                int h = 0;
                for (int s = 0; s < sweeps; s++) {
                    for (int a = 0; a < to; a++) {
                        h = h * 31 + Base64.run(a, b);
                    }
                }
                return h;
            }
        });
        PROGRAMS.put("xtea", new Program() {
            public void init() {
                Xtea.init(0, 0);
            }

            public int fold(int sweeps, int to, int b) {
                int h = 0;
                for (int s = 0; s < sweeps; s++) {
                    for (int a = 0; a < to; a++) {
                        h = h * 31 + Xtea.run(a, b);
                    }
                }
                return h;
            }
        });
        PROGRAMS.put("gamma", new Program() {
            public void init() {
                Gamma.init(0, 0);
            }

            public int fold(int sweeps, int to, int b) {
                int h = 0;
                for (int s = 0; s < sweeps; s++) {
                    for (int a = 0; a < to; a++) {
                        h = h * 31 + Gamma.run(a, b);
                    }
                }
                return h;
            }
        });
        PROGRAMS.put("routes", new Program() {
            public void init() {
                Routes.init(0, 0);
            }

            public int fold(int sweeps, int to, int b) {
                int h = 0;
                for (int s = 0; s < sweeps; s++) {
                    for (int a = 0; a < to; a++) {
                        h = h * 31 + Routes.run(a, b);
                    }
                }
                return h;
            }
        });
        PROGRAMS.put("distance", new Program() {
            public void init() {
                Distance.init(0, 0);
            }

            public int fold(int sweeps, int to, int b) {
                int h = 0;
                for (int s = 0; s < sweeps; s++) {
                    for (int a = 0; a < to; a++) {
                        h = h * 31 + Distance.run(a, b);
                    }
                }
                return h;
            }
        });
        PROGRAMS.put("median", new Program() {
            public void init() {
                Median.init(0, 0);
            }

            public int fold(int sweeps, int to, int b) {
                int h = 0;
                for (int s = 0; s < sweeps; s++) {
                    for (int a = 0; a < to; a++) {
                        h = h * 31 + Median.run(a, b);
                    }
                }
                return h;
            }
        });
    }

    private abstract static class OfKernels implements Program {
        public void init() {
            Kernels.init(0, 0);
        }
    }

    public static void main(String[] arguments) throws IOException {
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        Program program = null;
        int b = 0;
        int sink = 0;
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String[] words = line.split(" ");
            if (words[0].equals("start")) {
                program = PROGRAMS.get(words[1]);
                b = Integer.parseInt(words[2]);
                program.init();
                System.out.println(program.fold(1, CHECKED, b));
            } else {
                int sweeps = Integer.parseInt(words[1]);
                long start = clock.getCurrentThreadCpuTime();
                sink += program.fold(sweeps, SWEEP, b);
                System.out.println(clock.getCurrentThreadCpuTime() - start);
            }
        }
        if (sink == 1) {
            System.err.println(sink);
        }
    }
}
