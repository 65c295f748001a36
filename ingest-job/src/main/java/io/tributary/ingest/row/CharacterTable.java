package io.tributary.ingest.row;

import java.util.BitSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

/**
 * What a server's character set means, as the server itself says. Java's tables of the same names
 * differ: they lack the Korean syllables beyond KS X 1001 in EUC-KR, the five bytes of latin1 that
 * Windows leaves open, the backslash of Shift-JIS and more.
 */
public final class CharacterTable {
  private final String name;

  /**
   * By the number that a character's bytes make, the first the highest. Texts of two or three bytes
   * have few different hashes, so that a map by them would be a long list.
   */
  private final Map<Integer, String> characters = new HashMap<>();

  /** First bytes of characters of several bytes. */
  private final BitSet leads = new BitSet(256);

  private final String[] single = new String[256];
  private final int mostBytes;

  /**
   * @param name the server's name of the set
   * @param characters each character of the set by its bytes, one {@code char} a byte
   */
  public CharacterTable(String name, Map<String, String> characters) {
    this.name = name;
    int most = 1;
    for (Map.Entry<String, String> one : characters.entrySet()) {
      String bytes = one.getKey();
      most = Math.max(most, bytes.length());
      if (bytes.length() == 1) {
        single[bytes.charAt(0)] = one.getValue();
      } else {
        leads.set(bytes.charAt(0));
        this.characters.put(number(bytes, 0, bytes.length()), one.getValue());
      }
    }
    this.mostBytes = most;
  }

  private static int number(String bytes, int from, int length) {
    int number = 0;
    for (int i = from; i < from + length; i++) {
      number = number << 8 | bytes.charAt(i) & 0xFF;
    }
    return number;
  }

  /**
   * @param bytes of a text, one {@code char} a byte
   * @throws UnfitValueException when they are no text of the set
   */
  public String decode(String bytes) {
    StringBuilder text = new StringBuilder(bytes.length());
    for (int at = 0; at < bytes.length(); ) {
      if (bytes.charAt(at) > 0xFF) {
        throw new UnfitValueException(
            "Cannot read a text: expected bytes of %s, found characters; the column was changed"
                .formatted(name));
      }
      String found = null;
      int length = 1;
      if (leads.get(bytes.charAt(at))) {
        for (length = 2; length <= mostBytes && at + length <= bytes.length(); length++) {
          found = characters.get(number(bytes, at, length));
          if (found != null) {
            break;
          }
        }
      }
      if (found == null) {
        length = 1;
        found = single[bytes.charAt(at)];
      }
      if (found == null) {
        throw new UnfitValueException(
            "Cannot read a text: expected characters of %s, found byte 0x%s at %d"
                .formatted(name, HexFormat.of().toHexDigits((byte) bytes.charAt(at)), at));
      }
      text.append(found);
      at += length;
    }
    return text.toString();
  }
}
