/** Constants around the borders of the instructions that push them. */
class Constants {
    static int value(int which) {
        switch (which) {
            case 0: return -2;
            case 1: return -1;
            case 2: return 0;
            case 3: return 1;
            case 4: return 2;
            case 5: return 3;
            case 6: return 4;
            case 7: return 5;
            case 8: return 6;
            case 9: return 127;
            case 10: return 128;
            case 11: return -128;
            case 12: return -129;
            case 13: return 32767;
            case 14: return 32768;
            case 15: return -32768;
            case 16: return -32769;
            case 17: return 0x7fffffff;
            case 18: return 0x80000000;
            default: return 31;
        }
    }
}
